"""manage.py serve: brings the state folder up to date, prints a sign-in link, becomes the production server."""

import errno
import fcntl
import hashlib
import io
import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from django import __version__ as django_version
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from dashboard.sources.connect import get_connection, get_runloop_connection
from dashboard.web.site.access import list_admins
from dashboard.web.site.addresses import build_origin, explain_origin

BACKLOG = 512
SILENCE_S = 10
"""How long one read or write of a request may wait for its client, which holds a thread meanwhile."""
LAST_PORT = 65535
UNUSED = ["rest_framework"]
"""Static files that no page asks for: they would double the first start."""


class Command(BaseCommand):
    help = "Migrate, fill an empty database with the sample workspace, collect static files and serve."
    requires_system_checks = []  # migrate runs them

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            get_connection()
            get_runloop_connection()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        # The port is taken first: when it is busy nothing has changed, and a click on the link waits for the server.
        try:
            with listen(settings.HOST, settings.PORT) as listener:
                with one_start_at_a_time(settings.DATA_DIR):
                    call_command("migrate", interactive=False, verbosity=0)
                    if settings.DEMO:
                        call_command("sample", "create", if_empty=True, stdout=io.StringIO())
                    collect_static_files()
                    origin = build_origin(*listener.getsockname()[:2])
                    link = build_link(origin)
                self.stdout.write(f"Benchtrend is ready: {link}  (signs in once; Ctrl-C stops)")
                for note in filter(None, [explain_origin(origin), explain_folder(settings.DATA_DIR)]):
                    self.stdout.write(note)
                self.stdout.flush()
                become_server(listener)
        except KeyboardInterrupt:
            sys.exit(130)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on the host and port; port 0 means any free one. Raises CommandError in words."""
    if not 0 <= port <= LAST_PORT:
        raise CommandError(f"PORT must be between 0 and {LAST_PORT}, and {port} is not.")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server((address[0], address[1]), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(f"Port {port} on {host} is in use. Choose another: PORT={port + 1} make run") from error
        raise CommandError(f"Cannot listen on {host}, port {port}: {error.strerror}. See HOST and PORT.") from error
    # gunicorn's threads wait for a request without end; what is accepted here inherits these limits of the kernel's.
    for limit in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        listener.setsockopt(socket.SOL_SOCKET, limit, struct.pack("@ll", SILENCE_S, 0))
    return listener


@contextmanager
def one_start_at_a_time(folder: Path) -> Iterator[None]:
    """Of several servers that start over this folder at once, each waits for the one before it to be ready."""
    with (folder / "start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def explain_folder(folder: Path) -> str:
    """What to say of a state folder that others on this machine can look into; empty where they cannot."""
    if stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0:
        return ""
    return f"Others on this machine may look into {folder}, which holds the database and its keys: chmod 700 it."


def build_link(origin: str) -> str:
    """A fresh sign-in link of the first admin (made when there is none) at this origin."""
    name = list_admins().values_list("username", flat=True).first() or "admin"
    output = io.StringIO()
    call_command("signin_link", name, create_admin=True, base_url=origin, stdout=output, stderr=io.StringIO())
    return output.getvalue().strip().splitlines()[-1]


def collect_static_files() -> None:
    """Collects, hashes and compresses the static files, unless they are those of the last time."""
    mark = settings.STATIC_ROOT / "collected"
    fingerprint = fingerprint_static_files()
    if mark.is_file() and mark.read_text() == fingerprint:
        return
    call_command("collectstatic", interactive=False, clear=True, verbosity=0, ignore_patterns=UNUSED)
    mark.write_text(fingerprint)


def fingerprint_static_files() -> str:
    """Changes with any static file's name, size or time, and with the release of Django that collects them."""
    digest = hashlib.sha256(django_version.encode())
    for finder in get_finders():
        for path, storage in sorted(finder.list(UNUSED), key=lambda found: found[0]):
            stat = os.stat(storage.path(path))
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def become_server(listener: socket.socket) -> NoReturn:
    """Replaces this process with gunicorn on the listener. Workers share the loaded program's memory (--preload)."""
    # Python looks for the program where it was started, and that can be anywhere.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(settings.ROOT), os.environ.get("PYTHONPATH")]))
    listener.set_inheritable(True)
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "dashboard.wsgi:application",
        "--config",
        "python:dashboard.gunicorn_hooks",
    ]
    command += ["--bind", f"fd://{listener.fileno()}", "--preload", "--log-level", "warning", "--no-control-socket"]
    # Four metadata keys and values of a trend's picker do not fit into the 4,094 letters that are the default.
    command += ["--limit-request-line", "8190"]
    command += ["--graceful-timeout", "5"]
    command += ["--worker-class", "gthread", "--workers", str(settings.WORKERS), "--threads", str(settings.THREADS)]
    os.execv(sys.executable, command)  # noqa: S606 - no shell on purpose
