"""What tests read off a page: its text, and the fields of its forms as a browser would send them."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any


def text_of(page: Any) -> str:
    """The page's text, tags left out."""
    body = re.sub(r"<(script|svg|head)\b.*?</\1>", "", page.content.decode(), flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, list[tuple[str, str]], list[tuple[str, str]]]] = []
        self._select = self._option = self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((given.get("action", ""), [], []))
        if not self.forms:
            return
        _action, fields, buttons = self.forms[-1]
        name = given.get("name", "")
        if tag == "input" and name:
            kind = given.get("type", "text")
            if kind not in ("radio", "checkbox") or "checked" in given:
                fields.append((name, given.get("value", "on" if kind in ("radio", "checkbox") else "")))
        elif tag == "button" and name:
            buttons.append((name, given.get("value", "")))
        elif tag == "select":
            self._select, self._option = name, ""
            fields.append((name, ""))
        elif tag == "option" and self._select and "selected" in given:
            fields[-1] = (self._select, given.get("value", ""))
        elif tag == "textarea":
            self._area = name
            fields.append((name, ""))

    def handle_data(self, data: str) -> None:
        if self._area:
            fields = self.forms[-1][1]
            fields[-1] = (self._area, fields[-1][1] + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            _action, fields, _buttons = self.forms[-1]
            fields[-1] = (self._area, fields[-1][1].removeprefix("\n").removeprefix("\r\n"))
            self._area = ""
        elif tag == "select":
            self._select = ""


def fill(page: Any, go: str, **changes: Any) -> dict[str, Any]:
    """What pressing the button `go` of the page sends, with the fields that a person changed before; None drops one."""
    parser = _Forms()
    parser.feed(page.content.decode())
    parser.close()
    fields = next(fields for _action, fields, buttons in parser.forms if ("go", go) in buttons)
    sent: dict[str, Any] = {}
    for name, value in fields:
        sent.setdefault(name, []).append(value)
    changed = {name: [value] if isinstance(value, str) else value for name, value in changes.items()}
    return {name: values for name, values in {**sent, **changed, "go": [go]}.items() if values is not None}
