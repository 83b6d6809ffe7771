"""Finds a Chromium, installs one where that is ours to do, and says what to do where it is not."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-background-networking"]
INSTALL_WITHIN_S = 600


class NoChromium(Exception):
    """No Chromium can be had. The message says what to do."""


def find_chromium() -> str:
    """The path of a Chromium: named by CHROMIUM, on PATH, Playwright's own, or installed now. Raises NoChromium."""
    with (Path(tempfile.gettempdir()) / f"benchtrend-chromium-{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test processes must not install at once
        return _look() or _install()


def _look() -> str | None:
    named = os.environ.get("CHROMIUM")
    if named:
        if not shutil.which(named):
            raise NoChromium(f"CHROMIUM names {named}, which cannot be run.")
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None) or _look_for_playwrights()


def _look_for_playwrights() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.access(path, os.X_OK) else None


def _install() -> str:
    if os.getuid() == 0 and shutil.which("apt-get"):
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        _run(["apt-get", "update"], environment)
        _run(["apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"], environment)
    else:
        _run([sys.executable, "-m", "playwright", "install", "chromium"], dict(os.environ))
    path = _look()
    if not path:
        raise NoChromium(
            "The browser tests need Chromium, and none could be installed. Install it (Debian and Ubuntu: sudo apt-get "
            "install chromium), or name one: CHROMIUM=/path/to/chromium make test"
        )
    return path


def _run(command: list[str], environment: dict[str, str]) -> None:
    """Run to its end; whether it helped is seen by looking again."""
    subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=INSTALL_WITHIN_S, check=False
    )
