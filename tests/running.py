"""A real server, started as `make run` starts it, over a state folder of its own. For browser tests and the bench."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
STARTS_WITHIN_S = 120
STOPS_WITHIN_S = 60


@dataclass(frozen=True)
class Server:
    """Where a running server answers, the link it printed, its state folder and the id of its first process."""

    url: str
    link: str
    data: Path
    pid: int

    def manage(self, *arguments: str) -> str:
        """What a management command prints, run over the server's state folder."""
        return run_python(self.data, "manage.py", *arguments)

    def make_link(self) -> str:
        """A fresh sign-in link for an admin."""
        return self.manage("signin_link", "admin", "--base-url", self.url).split()[-1]


def build_environment(data: Path, **settings: str) -> dict[str, str]:
    """An environment without any setting of the caller's, but with these."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | {"BENCHTREND_DATA": str(data), "DJANGO_SETTINGS_MODULE": "dashboard.settings"} | settings


def run_python(data: Path, *arguments: str) -> str:
    """What this Python prints for these arguments, over the state folder. An error ends the test with its words."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=build_environment(data), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def serve(data: Path, **settings: str) -> Iterator[Server]:
    """A server on a free port until the block ends. Settings are environment variables, such as DEMO="0"."""
    with (data / "server.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=build_environment(data, PORT="0", **settings),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )
    try:
        assert process.stdout
        line = process.stdout.readline()
        link = re.search(r"(http://[^/ ]+)/\S+", line)
        assert link, (line, (data / "server.log").read_text())
        with urlopen(f"{link[1]}/healthz", timeout=STARTS_WITHIN_S):
            yield Server(url=link[1], link=link[0], data=data, pid=process.pid)
    finally:
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C in a terminal does
        try:
            process.wait(STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        process.stdout.close()
