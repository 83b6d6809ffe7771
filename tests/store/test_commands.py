"""The commands that make an embedded workspace usable by itself, and the one that checks it."""

import json
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from dashboard.store.digest import digest_items
from dashboard.store.models import BenchmarkItem, Judge, Rule, Trace
from tests.factories import make_benchmark

pytestmark = pytest.mark.django_db


def run(*arguments: Any, fails: str | None = None) -> str:
    """What the command printed, both streams; `fails` is what its error has to say."""
    out = StringIO()
    with pytest.raises(CommandError, match=fails) if fails else nullcontext():
        call_command(*map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def write_lines(folder: Path, *rows: Any) -> Path:
    path = folder / "rows.jsonl"
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"\r\n".join(lines))
    return path


def test_a_file_is_imported_once(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path,
        *[{"question_id": n, "category": "writing", "turns": ["A?", "And B?"]} for n in (81, 82)],
        {"prompt": "No id"},
        {"prompt": "No id"},
    )
    assert "would import 3 conversations" in run("import_conversations", path, "--source", "qa", "--dry-run")
    assert not Trace.objects.exists()
    assert 'imported 3 conversations under "qa"; 1 already there' in run("import_conversations", path, "--source", "qa")
    assert "imported 0 conversations" in run("import_conversations", path, "--source", "qa")
    assert "imported 3 conversations" in run("import_conversations", path, "--source", "another")
    first = Trace.objects.filter(source="qa").order_by("-created_at").first()
    assert first is not None
    assert (first.external_id, first.metadata["category"], len(first.messages)) == ("81", "writing", 2)


def test_a_line_that_cannot_be_read_is_named_and_the_rest_is_imported(tmp_path: Path) -> None:
    path = write_lines(tmp_path, b'\xef\xbb\xbf{"prompt": "A"}', b"{", b"", b"\xff", {"text": "x"}, b'{"prompt": NaN}')
    said = run("import_conversations", path, "--source", "qa", fails="4 rows could not be read")
    assert "imported 1 conversations" in said
    for line in (2, 4, 5, 6):
        assert f"line {line}: not read" in said


def test_an_id_that_comes_back_with_other_words_is_a_conflict(tmp_path: Path) -> None:
    run("import_conversations", write_lines(tmp_path, {"id": "a", "prompt": "A"}), "--source", "qa")
    changed = write_lines(tmp_path, {"id": "a", "prompt": "B"}, {"id": "b", "prompt": "B"})
    said = run("import_conversations", changed, "--source", "qa", fails="1 in conflict")
    assert "line 1: conflict, left as it was: a" in said
    assert Trace.objects.get(external_id="a").messages[0]["content"] == "A"
    assert Trace.objects.count() == 2


def test_the_entries_of_a_list_are_read_one_by_one_and_named_by_their_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    good = json.dumps({"conversations": [{"from": "human", "value": "Hi"}]}, indent=1).encode()
    path.write_bytes(b"[\n" + good + b',\n5,\n{"prompt": NaN},\n{"prompt": "\xff"},\n{"prompt": "Last"}\n]\n')
    said = run("import_conversations", path, "--source", "qa", fails="3 rows could not be read")
    assert "imported 2 conversations" in said
    for line in (10, 11, 12):
        assert f"line {line}: not read" in said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[\n{"prompt": "A"},\n{"prompt" "B"},\n{"prompt": "C"}]', 3),
        ('[\n{"prompt": "A"}', 2),
        ('[{"prompt": "A"}]\n{"prompt": "B"}', 1),
        ('[{"prompt": "A"},\n' + "[" * 200_000, 2),
    ],
)
def test_a_list_that_breaks_off_names_the_line_and_keeps_what_stood_before(
    tmp_path: Path, text: str, line: int
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(text)
    said = run("import_conversations", path, "--source", "qa", fails="1 rows could not be read")
    assert f"line {line}: not read" in said
    assert [trace.messages[0]["content"] for trace in Trace.objects.all()] == ["A"]


def test_an_object_over_several_lines_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "row.json"
    path.write_text("".join(json.dumps({"prompt": prompt}, indent=2) + "\n" for prompt in ("A", "B")))
    assert "imported 2 conversations" in run("import_conversations", path, "--source", "qa")


def test_what_text_inside_a_row_brings_to_life_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path, {"prompt": "A"}, {"prompt": "B", "tools": '["\\u0000"]'})
    said = run("import_conversations", path, "--source", "qa", fails="1 rows could not be read")
    assert "line 2: not read: it holds a NUL" in said


def test_a_file_or_a_source_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    run("import_conversations", tmp_path / "none.jsonl", "--source", "qa", fails="cannot be read")
    run("import_conversations", tmp_path / "none.jsonl", "--source", " ", fails="1 to 200")


def test_a_rule_is_made_once() -> None:
    assert "made rule" in run("create_rule", " Nightly ", "--serving", "support")
    rule = Rule.objects.get()
    assert (rule.name, rule.model_id, rule.serving["kind"]) == ("Nightly", "support", "serverless_slug")
    run("create_rule", "Nightly", "--serving", "support", fails="already")
    run("create_rule", " ", "--serving", "support", fails="name must not be empty")
    run("create_rule", "Weekly", "--serving", "", fails="^--serving must not be empty")
    run("create_rule", "Weekly", "--serving", "a", "--model", "x" * 201, fails="^--model must")
    run("create_rule", "Weekly", "--serving", "next", "--deployment", "dep_1", "--model", "base")
    assert Rule.objects.get(name="Weekly").serving == {"kind": "deployment", "name": "next", "deployment_id": "dep_1"}
    assert Rule.objects.count() == 2


def test_a_judge_is_written_from_text_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "rubric.txt").write_text("Score it.\n")
    dimensions = ["--dimension", "helpful=Does it help? a=b", "--dimension", "true"]
    run("create_judge", "Strict", "--instructions", f"@{tmp_path / 'rubric.txt'}", *dimensions, "--model", "judge-1")
    judge = Judge.objects.get()
    assert (judge.instructions, judge.model) == ("Score it.\n", "judge-1")
    assert judge.dimensions[0] == {"key": "helpful", "description": "Does it help? a=b"}
    run("create_judge", "Strict", "--instructions", "@/nowhere", *dimensions, fails="cannot be read")
    run("create_judge", "Strict", "--instructions", " ", *dimensions, fails="instructions must not be empty")
    run("create_judge", "Strict", "--instructions", "x", *dimensions, "--dimension", "true", fails="repeats 'true'")
    assert Judge.objects.count() == 1


@pytest.mark.parametrize(
    ("dimensions", "said"),
    [
        (["k" * 81], r"dimensions\[0\].key must"),
        (["a", "b=" + "x" * 2001], r"dimensions\[1\].description must"),
        ([f"key{n}" for n in range(21)], "dimensions must hold 1 to 20 entries"),
    ],
)
def test_the_rules_for_a_judge_are_those_of_the_api(dimensions: list[str], said: str) -> None:
    options = [part for one in dimensions for part in ("--dimension", one)]
    run("create_judge", "Strict", "--instructions", "x", *options, fails=said)
    assert not Judge.objects.exists()


def test_benchmarks_are_verified_against_what_was_frozen() -> None:
    make_benchmark("Imported", items=0)
    good = make_benchmark("Good", items=10)
    good.items_digest = digest_items(good.items.order_by("ordinal").values("prompt", "tools"))
    good.save()
    said = run("verify_benchmarks")
    assert "1 match, 1 without pinned conversations, 0 changed" in said
    assert "Imported" in said
    BenchmarkItem.objects.filter(benchmark=good, ordinal=4).update(tools=[])
    shorter = make_benchmark("Shorter", items=3)
    shorter.items.filter(ordinal=1).delete()
    said = run("verify_benchmarks", fails="must not be replayed")
    assert f'CHANGED: {good.pk} "Good"' in said
    assert "pinned 3 conversations and has 2" in said


def test_what_a_file_of_conversations_says_is_escaped(tmp_path: Path) -> None:
    """An id that would write to the terminal is seen instead."""
    row = {"id": "a\x1b[2J\nb", "prompt": "A"}
    run("import_conversations", write_lines(tmp_path, row), "--source", "qa")
    changed = write_lines(tmp_path, row | {"prompt": "B"})
    said = run("import_conversations", changed, "--source", "qa", fails="1 in conflict")
    assert "line 1: conflict, left as it was: a\\x1b[2J\\x0ab says something else there" in said
