"""The rules of the house that no linter knows."""

import io
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parent.parent.parent
MOST_LINES = 400
MOST_MODULES = 12
MOST_OF_A_PREFIX = 2
ALLOWED_AT_THE_TOP = {"manage.py", "pyproject.toml", "dashboard", "templates", "static", "tests", "docs", ".ci"} | {
    "README.md",
    "docs",
    "Makefile",
    "LICENSE",
    "CHANGELOG.md",
    "DECISIONS.md",
    "requirements.lock",
    "requirements-dev.lock",
}
WRITTEN_BY_HAND = {".py", ".html", ".css", ".js", ".toml", ".sh", ""}


def list_files() -> list[Path]:
    """Every file that git knows or would add, relative to the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in names.split("\0") if name and (ROOT / name).is_file()]


def list_rooms() -> list[Path]:
    """The files that people wrote: no vendored code, no migration, no empty package mark."""
    return [
        path
        for path in list_files()
        if path.suffix in WRITTEN_BY_HAND
        and path.name != "LICENSE"
        and not {"vendor", "migrations"} & set(path.parts)
        and (ROOT / path).stat().st_size
    ]


def test_every_file_is_short_enough_to_read() -> None:
    lengths = {str(path): len((ROOT / path).read_text().splitlines()) for path in list_rooms()}
    assert {path: lines for path, lines in lengths.items() if lines >= MOST_LINES} == {}


def test_every_file_says_first_what_it_is_for() -> None:
    comment = re.compile(r'("""|#|/\*|//|\{#|\{% comment|\{% extends|<!--)')
    silent = []
    for path in list_rooms():
        lines = [line for line in (ROOT / path).read_text().splitlines() if not line.startswith("#!")]
        if not comment.match(lines[0].lstrip()):
            silent.append(str(path))
    assert silent == []


def list_modules() -> list[Path]:
    """The Python modules of rooms: no package mark; tests are named after what they test, migrations by Django."""
    return [
        path
        for path in list_files()
        if path.suffix == ".py"
        and path.name != "__init__.py"
        and path.parts[0] != "tests"
        and "migrations" not in path.parts
    ]


def list_prefixed() -> list[Path]:
    """What a folder may hold in families by the first word: modules and whole pages, not the regions of a page.

    Commands are exempt: Django finds them by their file's name, in one folder.
    """
    pages = [path for path in list_files() if path.suffix == ".html" and not path.name.startswith("_")]
    return [path for path in [*list_modules(), *pages] if path.parent.name != "commands"]


def test_a_folder_holds_few_enough_modules_to_know_them_all() -> None:
    counts = Counter(str(path.parent) for path in list_modules())
    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_a_word_that_three_files_begin_with_is_a_folder() -> None:
    families: dict[tuple[str, str], list[str]] = {}
    for path in list_prefixed():
        families.setdefault((str(path.parent), path.stem.partition("_")[0]), []).append(path.name)
    large = {where: names for where, names in families.items() if len(names) > MOST_OF_A_PREFIX}
    assert large == {}


def test_the_top_level_holds_the_agreed_files_only() -> None:
    tops = {path.parts[0] for path in list_files()}
    assert {name for name in tops if not name.startswith(".")} <= ALLOWED_AT_THE_TOP


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", check=True, dry_run=True, stdout=io.StringIO())
