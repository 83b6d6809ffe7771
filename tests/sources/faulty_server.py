"""A real HTTP server on a socket that misbehaves as it is told, and remembers what it was sent."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: dict[str, str]  # names in lower case
    connection: int  # which of the server's connections it came over
    body: bytes = b""

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    def number(self, name: str) -> int:
        return int(parse_qs(urlsplit(self.target).query)[name][0])


Answer = Callable[[Request], Iterable[bytes]]
"""What goes over the wire for one request, piece by piece. The connection is cut when it ends with `CUT`."""

CUT = b"\0cut"


def reply(status: int = 200, body: bytes | str = b"", **headers: str) -> list[bytes]:
    """A well-formed answer. Header names are given with underscores."""
    body = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ["\r\n".join([*lines, "", ""]).encode() + body]


def reply_json(value: Any, status: int = 200, **headers: str) -> list[bytes]:
    return reply(status, json.dumps(value), Content_Type="application/json", **headers)


class FaultyServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.requests: list[Request] = []
        self.connections = 0
        self.stopping = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what many of these tests are about."""


class _Handler(socketserver.StreamRequestHandler):
    server: FaultyServer

    def handle(self) -> None:
        self.server.connections += 1
        number = self.server.connections
        while line := self.rfile.readline():
            method, target, _ = line.decode().split()
            headers = {}
            while header := self.rfile.readline().strip():
                name, _, value = header.decode("latin-1").partition(":")
                headers[name.lower()] = value.strip()
            body = self.rfile.read(int(headers.get("content-length", "0")))
            request = Request(method, target, headers, number, body)
            self.server.requests.append(request)
            for piece in self.server.answer(request):
                if piece == CUT:
                    return
                self.wfile.write(piece)
                self.wfile.flush()


@contextmanager
def serve(answer: Answer) -> Iterator[FaultyServer]:
    server = FaultyServer(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


def in_turn(*answers: list[bytes]) -> Answer:
    """Each answer once, in this order, and the last one from then on."""
    left = list(answers)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]
