"""A copy of the running database, from which everything comes back."""

import sqlite3
import stat
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from dashboard.management.commands import backup
from tests import running

ADD = "from django.contrib.auth.models import User; User.objects.create(username={!r})"
LIST = "from django.contrib.auth.models import User; print(*sorted(user.username for user in User.objects.all()))"


def test_what_was_copied_from_a_running_server_comes_back(tmp_path: Path) -> None:
    data, restored, copy = tmp_path / "data", tmp_path / "restored", tmp_path / "copy.sqlite3"
    data.mkdir()
    with running.serve(data, DEMO="0", WORKERS="1") as server:
        server.manage("shell", "-v0", "-c", ADD.format("before"))
        assert "Copied" in server.manage("backup", str(copy))
        server.manage("shell", "-v0", "-c", ADD.format("after"))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"data", "copy.sqlite3"}, "nothing else stays"
    restored.mkdir(mode=0o700)
    copy.rename(restored / "benchtrend.sqlite3")
    with running.serve(restored, DEMO="0", WORKERS="1") as server:
        assert server.manage("shell", "-v0", "-c", LIST).split() == ["admin", "before"]


def test_an_open_transaction_of_somebody_else_is_not_in_the_copy(tmp_path: Path) -> None:
    source = sqlite3.connect(tmp_path / "source")
    source.executescript("PRAGMA journal_mode=WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1);")
    source.execute("INSERT INTO t VALUES (2)")
    backup.copy(tmp_path / "source", tmp_path / "copy")
    source.close()
    copied = sqlite3.connect(tmp_path / "copy")
    assert copied.execute("SELECT n FROM t").fetchall() == [(1,)]
    copied.close()


def test_no_file_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", str(tmp_path / "kept"))
    assert (tmp_path / "kept").read_text() == "mine"


def test_without_a_database_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "NAME", str(tmp_path / "none"))
    monkeypatch.setattr(connection, "vendor", "sqlite")
    with pytest.raises(CommandError, match="There is no database at"):
        call_command("backup", str(tmp_path / "copy"))
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_and_a_file_that_is_no_database_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_text("no database at all, " * 100)
    monkeypatch.setitem(connection.settings_dict, "NAME", str(tmp_path / "text"))
    monkeypatch.setattr(connection, "vendor", "sqlite")
    for target in ("no/such/folder", "copy"):
        with pytest.raises(CommandError, match="was not written"):
            call_command("backup", str(tmp_path / target))
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_postgres_is_copied_by_its_own_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "vendor", "postgresql")
    with pytest.raises(CommandError, match="pg_dump"):
        call_command("backup", str(tmp_path / "copy"))
