"""What settings.py makes of the environment: the state folder, its secret key, and the names it is reached by."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 50
"""Characters; a key of fewer is one that was cut off."""
DEFAULT_PORTS = {"http": 80, "https": 443}


def open_state_folder(path: Path) -> Path:
    """The absolute path of the folder, made for its owner alone where it is not there. Raises ImproperlyConfigured."""
    folder = path.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ImproperlyConfigured(f"BENCHTREND_DATA: {folder} cannot be a folder: {error.strerror}.") from error
    return folder


def keep_secret_key(path: Path) -> str:
    """The key that is kept in this file, made on first use: whole or not at all, and one for all who start at once.

    Raises ImproperlyConfigured for a file that cannot be read, or holds no whole key.
    """
    try:
        if not path.exists():
            _write_new(path, secrets.token_urlsafe(50))
        text = path.read_bytes().decode("ascii").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"The secret key in {path} cannot be used: {error.strerror}.") from error
    except UnicodeDecodeError:
        text = ""
    if len(text) < SHORTEST_KEY or not text.isprintable():
        raise ImproperlyConfigured(
            f"{path} holds no whole secret key. Put the file back from a backup, or delete it: a new key is then made, "
            "and everybody signs in again."
        )
    return text


def _write_new(path: Path, text: str) -> None:
    """The file with all of the text, readable by its owner alone; the file of whoever else was first stays."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


def read_origins(given: Iterable[str]) -> list[str]:
    """Origins as browsers write them, of what people write. Raises ImproperlyConfigured for what is none."""
    origins = []
    for text in filter(None, map(str.strip, given)):
        try:
            parts = urlsplit(text.lower())
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        extra = parts.path.strip("/") or parts.query or parts.fragment or parts.username
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname or extra:
            raise ImproperlyConfigured(f"TRUSTED_ORIGINS: {text!r} is no origin such as https://bench.example.")
        said = "" if port in (None, DEFAULT_PORTS[parts.scheme]) else f":{port}"
        origins.append(f"{parts.scheme}://{bracket(parts.hostname)}{said}")
    return origins


def name_hosts(host: str, origins: Iterable[str]) -> list[str]:
    """The names that a server answers to which listens on this host and stands behind these origins."""
    behind = [(urlsplit(origin).hostname or "").removeprefix("*") for origin in origins]  # *.example is .example here
    return list(dict.fromkeys(["localhost", "127.0.0.1", "[::1]", *map(bracket, [host, *behind])]))


def bracket(host: str) -> str:
    """A host as addresses write it: an IPv6 address in brackets."""
    return f"[{host.strip('[]')}]" if ":" in host else host


def read_networks(given: Iterable[str]) -> list[IPv4Network | IPv6Network]:
    """The networks (or single addresses) of TRUSTED_PROXIES. Raises ImproperlyConfigured for what is none."""
    try:
        return [ip_network(text.strip()) for text in given if text.strip()]
    except ValueError as error:
        raise ImproperlyConfigured(f"TRUSTED_PROXIES: {error}.") from error


def name_cookie(what: str, database: Mapping[str, Any]) -> str:
    """A cookie's name, which is another for another database: browsers tell two servers on a host not apart by port."""
    place = "\0".join(str(database.get(key, "")) for key in ("HOST", "PORT", "NAME"))
    return f"benchtrend_{what}_{hashlib.sha256(place.encode()).hexdigest()[:8]}"
