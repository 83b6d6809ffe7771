"""manage.py serve: brings the state folder up to date, prints a sign-in link, becomes the production server."""

import errno
import hashlib
import io
import os
import socket
import sys
from typing import Any, NoReturn

from django import __version__ as django_version
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError

ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - compared with, not bound to
BACKLOG = 512


class Command(BaseCommand):
    help = "Migrate, fill an empty database with the sample workspace, collect static files and serve."
    requires_system_checks = []  # migrate runs them

    def handle(self, *args: Any, **options: Any) -> None:
        # The port is taken first: when it is busy nothing has changed, and a click on the link waits for the server.
        listener = listen(settings.HOST, settings.PORT)
        call_command("migrate", interactive=False, verbosity=0)
        if settings.DEMO and "sample" in get_commands():
            call_command("sample", "create", if_empty=True, stdout=io.StringIO())
        collect_static_files()
        self.stdout.write(f"Benchtrend is ready: {build_link(listener)}  (signs in once; Ctrl-C stops)")
        self.stdout.flush()
        become_server(listener)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on the host and port; port 0 means any free one. Raises CommandError in words."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise CommandError(f"Port {port} on {host} is in use. Choose another: PORT={port + 1} make run") from error
        raise CommandError(f"Cannot listen on {host}, port {port}: {error}. See HOST and PORT.") from error
    listener.listen(BACKLOG)
    return listener


def build_link(listener: socket.socket) -> str:
    """A fresh sign-in link of the first admin (made when there is none) to where the listener listens."""
    host, port = listener.getsockname()[:2]
    host = ANY_ADDRESS.get(host, f"[{host}]" if ":" in host else host)
    admins = get_user_model().objects.filter(is_superuser=True, is_active=True).order_by("pk")
    name = admins.values_list("username", flat=True).first() or "admin"
    output = io.StringIO()
    call_command("signin_link", name, base_url=f"http://{host}:{port}", stdout=output)
    return output.getvalue().strip().splitlines()[-1]


def collect_static_files() -> None:
    """Collects, hashes and compresses the static files, unless they are those of the last time."""
    mark = settings.STATIC_ROOT / "collected"
    fingerprint = fingerprint_static_files()
    if mark.is_file() and mark.read_text() == fingerprint:
        return
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    mark.write_text(fingerprint)


def fingerprint_static_files() -> str:
    """Changes with any static file's name, size or time, and with the release of Django that collects them."""
    digest = hashlib.sha256(django_version.encode())
    for finder in get_finders():
        for path, storage in sorted(finder.list([]), key=lambda found: found[0]):
            stat = os.stat(storage.path(path))
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def become_server(listener: socket.socket) -> NoReturn:
    """Replaces this process with gunicorn on the listener. Workers share the loaded program's memory (--preload)."""
    listener.set_inheritable(True)
    command = [sys.executable, "-m", "gunicorn", "dashboard.wsgi:application"]
    command += ["--bind", f"fd://{listener.fileno()}", "--preload", "--log-level", "warning", "--no-control-socket"]
    command += ["--worker-class", "gthread", "--workers", str(settings.WORKERS), "--threads", str(settings.THREADS)]
    os.execv(sys.executable, command)  # noqa: S606 - no shell on purpose
