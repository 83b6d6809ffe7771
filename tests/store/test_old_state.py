"""A state folder that an earlier release left opens, with everything in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import httpx

from tests import running

OLD_STATE = Path(__file__).with_name("old_state.sql")
MADE_ANEW = {"django_migrations", "django_content_type", "auth_permission", "django_session"}
"""Tables that a migration or a sign-in adds rows to."""
AMPLE_S = 60


def count_rows(database: Path) -> dict[str, int]:
    """Rows by table."""
    with closing(sqlite3.connect(database)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return {
            name: connection.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for (name,) in names.fetchall()
        }


class Hidden(HTMLParser):
    """The hidden fields of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str | None] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if tag == "input" and found.get("type") == "hidden":
            self.fields[found["name"] or ""] = found["value"]


def test_it_works(tmp_path: Path) -> None:
    database = tmp_path / "benchtrend.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(OLD_STATE.read_text())
    before = count_rows(database)
    assert min(before.values()) > 0, "every table of the old release has a row that could be lost"
    with running.serve(tmp_path, DEMO="0", WORKERS="1") as server, httpx.Client(timeout=AMPLE_S) as browser:
        link = browser.get(server.manage("signin_link", "mira", "--base-url", server.url).split()[-1])
        browser.post(f"{server.url}/sign-in/link/", data=Hidden(link.text).fields, headers={"Referer": str(link.url)})
        page = browser.get(f"{server.url}/benchmarks/bm_43b5413e0267e294/")
        assert page.status_code == 200
        assert "SQL copilot, rows match" in page.text
        assert "r180-step1200" in page.text
        kept = browser.get(f"{server.url}/benchmarks/new/a1b2c3d4e5f6g7h8/")
        assert "Half typed" in kept.text
    after = count_rows(database)
    lost = {name: (rows, after.get(name, 0)) for name, rows in before.items() if after.get(name, 0) < rows}
    assert lost == {}
    made = {name for name in before if name not in MADE_ANEW and after[name] > before[name]}
    assert made <= {"auth_user", "auth_user_groups", "web_auditentry"}, "serving makes an admin, and the log says so"
