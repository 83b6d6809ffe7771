"""Every setting is an environment variable, told in one table of the README."""

import re
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction

from tests import running
from tests.tooling.test_house_rules import ROOT


@pytest.mark.parametrize(("level", "lines"), [("ERROR", 0), ("WARNING", 1)])
def test_the_log_level_holds_for_django_too(tmp_path: Path, level: str, lines: int) -> None:
    """And each line is written once."""
    code = "import django, logging; django.setup(); logging.getLogger('django.request').warning('Not Found: /')"
    environment = running.build_environment(tmp_path, LOG_LEVEL=level)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=running.ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert [line.split()[2:4] for line in done.stderr.splitlines()] == [["WARNING", "django.request"]] * lines


def test_a_refusal_is_one_line_of_the_log_and_a_fault_is_a_whole_story(tmp_path: Path) -> None:
    code = """
import django, logging
django.setup()
for status in (403, 500):
    try:
        raise PermissionError
    except PermissionError:
        logging.getLogger("django.request").error("%s", status, exc_info=True, extra={"status_code": status})
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=running.ROOT, env=running.build_environment(tmp_path), capture_output=True, text=True, check=True,
    )  # fmt: skip
    refusal, fault, *story = done.stderr.splitlines()
    assert refusal.endswith("403")
    assert fault.endswith("500")
    assert story[0].startswith("Traceback")


def list_names_read() -> set[str]:
    """The environment variables that the settings file reads."""
    return set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', (ROOT / "dashboard" / "settings.py").read_text()))


def list_names_told() -> set[str]:
    """The names in the README's table of settings."""
    table = (ROOT / "README.md").read_text().split("## Settings")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([A-Z_]+)`", table, flags=re.MULTILINE))


def test_the_readme_tells_every_setting_and_no_other() -> None:
    assert list_names_read()
    assert list_names_told() == list_names_read()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="about SQLite alone")
@pytest.mark.django_db(transaction=True)
def test_a_reader_does_not_wait_for_a_writer() -> None:
    """The database is a file in WAL mode, and a transaction takes its lock when it begins."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        assert cursor.fetchone() == ("wal",)
    with transaction.atomic():
        seen: list[object] = []
        thread = threading.Thread(target=lambda: seen.extend(read_and_try_to_write()))
        thread.start()
        thread.join(60)
    assert seen == [0, "database is locked"]


def read_and_try_to_write() -> list[object]:
    """What another connection, which does not wait, reads and is told when it begins to write."""
    other = sqlite3.connect(settings.DATABASES["default"]["NAME"], timeout=0)
    try:
        count = other.execute("SELECT count(*) FROM auth_user").fetchone()[0]
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            return [count, str(error)]
        return [count, "began"]
    finally:
        other.close()
