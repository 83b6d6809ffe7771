"""What `make run` promises: a link that works, a state folder that keeps everything, and words when it cannot."""

import gc
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from bios import RunBiOS
from bios._client import ApiError
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from dashboard import gunicorn_hooks
from dashboard.environment import name_hosts
from dashboard.management.commands import serve as command
from tests import running

AMPLE_S = 60


@pytest.fixture
def taken_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_what_is_loaded_before_the_fork_is_not_looked_through_for_garbage() -> None:
    before = gc.get_freeze_count()
    try:
        gunicorn_hooks.when_ready(None)
        assert gc.get_freeze_count() > before + 10_000
    finally:
        gc.unfreeze()


def test_it_serves_prints_a_link_and_keeps_everything(tmp_path: Path) -> None:
    with running.serve(tmp_path, DEMO="0", WORKERS="1") as server:
        assert httpx.get(f"{server.url}/readyz", timeout=AMPLE_S).status_code == 200
        assert "Sign in as admin" in httpx.get(server.link, timeout=AMPLE_S).text
        server.manage(
            "shell", "-v0", "-c", "from django.contrib.auth.models import User; User.objects.create(username='kept')"
        )
    key = (tmp_path / "secret_key").read_text()
    collected = (tmp_path / "static" / "staticfiles.json").stat().st_mtime_ns
    with running.serve(tmp_path, DEMO="0", WORKERS="1") as server:
        names = server.manage(
            "shell", "-v0", "-c", "from django.contrib.auth.models import User; print(User.objects.count())"
        )
        assert names.split()[-1] == "2"
    assert (tmp_path / "secret_key").read_text() == key
    assert (tmp_path / "static" / "staticfiles.json").stat().st_mtime_ns == collected
    assert (tmp_path / "server.log").read_text() == "", "it was interrupted, and says nothing about it"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if path.name != "server.log"}
    assert {name for name, mode in modes.items() if mode & 0o077} == set(), "what it keeps is for its owner alone"


def test_a_busy_port_is_one_line_and_changes_nothing(tmp_path: Path, taken_port: int) -> None:
    environment = running.build_environment(tmp_path, PORT=str(taken_port))
    done = subprocess.run(
        [sys.executable, "manage.py", "serve"], cwd=running.ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"CommandError: Port {taken_port} on 127.0.0.1 is in use. Choose another: PORT={taken_port + 1} make run"
    ]
    assert not list(tmp_path.glob("*.sqlite3"))


def test_a_source_that_is_set_up_wrong_is_one_line_and_changes_nothing(tmp_path: Path) -> None:
    environment = running.build_environment(tmp_path, PORT="0", RUNBIOS_BASE_URL="https://loop.example.test")
    done = subprocess.run(
        [sys.executable, "manage.py", "serve"], cwd=running.ROOT, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == ["CommandError: RUNBIOS_BASE_URL is set, so RUNBIOS_API_KEY must be set too."]
    assert not list(tmp_path.glob("*.sqlite3"))


def test_a_port_that_cannot_be_is_refused() -> None:
    with pytest.raises(CommandError, match="PORT must be between 0 and 65535"):
        command.listen("127.0.0.1", 99_999)


def test_a_host_that_is_not_here_is_refused() -> None:
    with pytest.raises(CommandError, match=r"Cannot listen on 192\.0\.2\.1"):
        command.listen("192.0.2.1", 0)


@pytest.mark.django_db
def test_the_link_is_for_the_first_admin_who_can_sign_in() -> None:
    User.objects.create_superuser("left", is_active=False)
    User.objects.create_user("reader")
    User.objects.create_superuser("owner")
    link = command.build_link("http://127.0.0.1:8000")
    assert link.startswith("http://127.0.0.1:8000/sign-in/link/?sesame=")
    assert User.objects.count() == 3


def test_static_files_are_collected_again_only_when_one_changed(settings, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.css").write_text("a{}")
    settings.STATICFILES_DIRS = [source]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "collected"
    command.collect_static_files()
    (settings.STATIC_ROOT / "a.css").write_text("not collected again")
    command.collect_static_files()
    assert (settings.STATIC_ROOT / "a.css").read_text() == "not collected again"
    (source / "a.css").write_text("a{color:red}")
    command.collect_static_files()
    assert (settings.STATIC_ROOT / "a.css").read_text() == "a{color:red}"


@pytest.mark.django_db
def test_it_becomes_gunicorn_on_the_socket_it_took(monkeypatch: pytest.MonkeyPatch, settings, capsys) -> None:
    settings.PORT, settings.DEMO, settings.WORKERS, settings.THREADS = 0, True, 3, 5
    monkeypatch.setenv("PYTHONPATH", "")
    ran: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, arguments: ran.append(arguments))
    monkeypatch.setattr(command, "collect_static_files", lambda: None)
    call_command("serve")
    (arguments,) = ran
    assert any(argument.startswith("fd://") for argument in arguments)
    assert arguments[-4:] == ["--workers", "3", "--threads", "5"]
    assert arguments[arguments.index("--limit-request-line") + 1] == "8190"
    assert str(running.ROOT) in os.environ["PYTHONPATH"]
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("origins", "scheme", "notes"), [(["https://bench.example"], "https", 0), ([], "http", 1)])
def test_behind_a_proxy_it_links_there_or_says_that_it_cannot(
    monkeypatch: pytest.MonkeyPatch, settings, capsys, origins: list[str], scheme: str, notes: int
) -> None:
    settings.PORT, settings.DEMO, settings.HTTPS, settings.CSRF_TRUSTED_ORIGINS = 0, False, True, origins
    settings.ALLOWED_HOSTS = name_hosts("127.0.0.1", origins)
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr(os, "execv", lambda program, arguments: None)
    monkeypatch.setattr(command, "collect_static_files", lambda: None)
    call_command("serve")
    ready, *rest = capsys.readouterr().out.splitlines()
    assert f" {scheme}://" in ready
    assert len(rest) == notes
    assert all("HTTPS is on: open this link with your proxy's address" in note for note in rest)


def test_a_client_that_falls_silent_holds_a_thread_for_a_while_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SILENCE_S", 1)
    with command.listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        accepted.setblocking(True)
        with accepted, pytest.raises(BlockingIOError):
            accepted.recv(1)


def test_it_serves_wherever_it_is_started_from_and_whatever_its_folder_is_called(tmp_path: Path) -> None:
    environment = running.build_environment(Path("odd #1 50%25?"), PORT="0", DEMO="0", WORKERS="1")
    with subprocess.Popen(
        [sys.executable, str(running.ROOT / "manage.py"), "serve"],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout
            link = process.stdout.readline().split("ready: ")[1].split()[0]
            assert "Sign in as admin" in httpx.get(link, timeout=AMPLE_S).text
        finally:
            os.killpg(process.pid, signal.SIGINT)
    assert [path.name for path in tmp_path.iterdir()] == ["odd #1 50%25?"]
    assert (tmp_path / "odd #1 50%25?" / "benchtrend.sqlite3").is_file()


def test_of_two_first_starts_at_once_one_waits(tmp_path: Path) -> None:
    entered, leave, order = threading.Event(), threading.Event(), []

    def first() -> None:
        with command.one_start_at_a_time(tmp_path):
            entered.set()
            assert leave.wait(AMPLE_S)
            order.append("first")

    def second() -> None:
        with command.one_start_at_a_time(tmp_path):
            order.append("second")

    starts = [threading.Thread(target=first), threading.Thread(target=second)]
    starts[0].start()
    assert entered.wait(AMPLE_S)
    starts[1].start()
    starts[1].join(0.2)
    assert order == []
    leave.set()
    for start in starts:
        start.join(AMPLE_S)
    assert order == ["first", "second"]


@pytest.mark.parametrize(("mode", "told"), [(0o755, True), (0o750, True), (0o700, False)])
def test_a_state_folder_that_others_can_enter_is_named(tmp_path: Path, mode: int, told: bool) -> None:
    tmp_path.chmod(mode)
    assert (str(tmp_path) in command.explain_folder(tmp_path)) == told


def test_a_refusal_reaches_a_client_that_still_sends(tmp_path: Path) -> None:
    """Twenty times over one connection, by the official client, each with more than a server reads unasked."""
    rows = [{"messages": [{"role": "user", "content": "a question " * 200}]}] * 200
    with running.serve(tmp_path, DEMO="0", WORKERS="1") as server:
        key = server.manage("apikey", "create", "--name", "reader", "--scopes", "loop:read").split()[-1]
        client, statuses = RunBiOS(base_url=server.url, api_key=key), []
        for _ in range(20):
            with pytest.raises(ApiError) as refused:
                client.loop.import_rows("chats", rows)
            statuses.append(refused.value.status)
        with httpx.Client(base_url=server.url, headers={"X-API-Key": key}, timeout=AMPLE_S) as keeping:
            large = b"x" * 5_000_000
            statuses += [keeping.post(path, content=large).status_code for path in ("/api/no", "/sign-in/", "/healthz")]
            statuses.append(keeping.put("/api/loop/judges", content=large).status_code)
            statuses.append(keeping.post("/api/loop/import", content=iter([large])).status_code)
    assert statuses == [403] * 20 + [404, 413, 413, 405, 411]
