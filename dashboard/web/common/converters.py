"""How an opaque id stands in a page's address.

An id may hold any character. Django decodes a path once before it matches, so a slash that was percent-encoded once
looks like a separator, and browsers drop the segments "." and "..". Those few characters are therefore escaped a
second time; every other id reads in the address as it is.
"""

from __future__ import annotations

from urllib.parse import unquote


class OpaqueId:
    """One path segment that stands for an id of any characters but NUL."""

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        """The id. ValueError, so 404, for one with a NUL: no id has it and databases refuse it."""
        found = unquote(value)
        if "\0" in found:
            raise ValueError("an id holds no NUL")
        return found

    def to_url(self, value: str) -> str:
        escaped = value.replace("%", "%25").replace("/", "%2F")
        return escaped.replace(".", "%2E") if value in {".", ".."} else escaped


class DraftId:
    """The id of a form of several steps, as we make them."""

    regex = "[A-Za-z0-9_-]{1,40}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
