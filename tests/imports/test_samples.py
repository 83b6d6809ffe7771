"""Logged samples become rows: both answers to one document, matched by its id, with nothing dropped."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dashboard.imports.results.types import FileError
from dashboard.imports.samples import read, write
from dashboard.imports.samples.read import find_samples, read_samples
from dashboard.store.models import BenchmarkRun, ReplayRow
from dashboard.store.replays.rows import Scale, settle_row
from dashboard.web.models import AuditEntry
from tests.imports.harness_files import write_current
from tests.imports.sample_files import DATE, build_weighed, build_written, write_samples, write_side


def read_one(tmp_path: Path, line: Any, metric: str = "exact_match") -> read.Sample:
    return read_samples(write_samples(tmp_path, "sums", [line]), metric)[line["doc_id"]]


def test_a_written_answer_is_read_with_its_prompt_its_reference_and_its_score(tmp_path):
    found = read_one(tmp_path, build_written(3, "2 plus 2 is", "It is 4.", 1.0))
    assert found.prompt == [{"role": "user", "content": "2 plus 2 is"}]
    assert (found.completion, found.read_as, found.reference, found.score) == ("It is 4.", None, "4", 1.0)


def test_what_a_filter_made_of_an_answer_is_kept_beside_it(tmp_path):
    line = build_written(3, "2 plus 2 is", "It is #### 4", True, filtered_resps=["4"], filter="strict-match")
    found = read_one(tmp_path, line, "exact_match,strict-match")
    assert (found.completion, found.read_as, found.score) == ("It is #### 4", "4", 1.0)


@pytest.mark.parametrize("wrap", [lambda text: text, lambda text: [text], json.loads])
def test_a_chat_is_its_messages(tmp_path, wrap):
    chat = [{"role": "system", "content": "Add."}, {"role": "user", "content": "2 plus 2"}]
    arguments = {"gen_args_0": {"arg_0": wrap(json.dumps(chat)), "arg_1": {}}}
    assert read_one(tmp_path, build_written(0, "", "4", 1, arguments=arguments)).prompt == chat


def test_text_that_only_looks_like_a_chat_stays_text(tmp_path):
    for text in ("[1] 2 plus 2", "[1, 2]"):
        found = read_one(tmp_path, build_written(0, "", "4", 1, arguments=[[text, {}]]))
        assert found.prompt == [{"role": "user", "content": text}]


@pytest.mark.parametrize(
    ("metric", "answer"), [("acc", "blue"), ("acc_norm", "a deep dark blue"), ("acc_bytes", "a deep dark blue")]
)
def test_of_weighed_continuations_the_likeliest_is_the_answer(tmp_path, metric, answer):
    line = build_weighed(0, ["blue", "a deep dark blue"], [-3.0, -4.0], 1, **{metric: 1.0})
    found = read_one(tmp_path, line, metric)
    assert (found.completion, found.reference, found.score) == (answer, "a deep dark blue", 1.0)


@pytest.mark.parametrize(
    ("filtered", "answer"),
    [([["-1.5", "True"]], "blue"), ([["-1.5", "False"]], None), ([["-1.5", True]], "blue"), ([], None)],
)
def test_one_continuation_is_the_answer_where_the_model_would_write_it(tmp_path, filtered, answer):
    line = build_weighed(0, ["blue"], [-1.5], 0, acc=1.0) | {"filtered_resps": filtered}
    assert read_one(tmp_path, line, "acc").completion == answer


def test_continuations_without_readable_weights_have_no_answer(tmp_path):
    line = build_weighed(0, ["blue", "red"], [-1.5, -2], 0, acc=1.0) | {"filtered_resps": [["a"], ["b"]]}
    assert read_one(tmp_path, line, "acc").completion is None


@pytest.mark.parametrize("score", [None, "1.0", float("nan"), [1, 2]])
def test_what_is_no_number_is_no_score(tmp_path, score):
    assert read_one(tmp_path, build_written(0, "q", "a", score)).score is None


def test_text_that_no_database_keeps_costs_the_text_and_not_the_score(tmp_path):
    found = read_one(tmp_path, build_written(0, "q\0", "a", 1.0))
    assert (found.prompt, found.completion, found.score) == ([], None, 1.0)
    assert "cannot be stored" in str(found.read_as)


@pytest.mark.parametrize(
    ("lines", "metric", "said"),
    [
        (["{"], "exact_match", "line 1 is not readable JSON"),
        (["", "[1]"], "exact_match", "line 2 is no object"),
        (['{"doc_id": "a"}'], "exact_match", "its doc_id is no whole number"),
        (['{"doc_id": 1}', '{"doc_id": 1}'], "exact_match", r"document 1 stands there twice \(line 2\)"),
        (
            ['{"doc_id": 1, "filter": "strict"}', '{"doc_id": 1, "filter": "loose"}'],
            "exact_match",
            r"several filters \(loose, strict\): name one",
        ),
        (['{"doc_id": 1, "filter": "strict"}'], "exact_match,loose", "no sample of the filter loose"),
        ([""], "exact_match", "it holds no sample"),
    ],
)
def test_a_file_that_cannot_be_taken_says_where_and_why(tmp_path, lines, metric, said):
    path = tmp_path / "samples_x.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(FileError, match=said):
        read_samples(path, metric)


def test_an_endless_line_is_not_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(read, "MOST_LINE_BYTES", 1024)
    path = write_samples(tmp_path, "sums", [build_written(0, "q" * 2000, "a", 1)])
    with pytest.raises(FileError, match="line 1 is longer"):
        read_samples(path, "exact_match")


def test_samples_are_found_by_the_date_of_their_results(tmp_path):
    results = tmp_path / f"results_{DATE}.json"
    other = tmp_path / "results_2024-06-01T00-00-00.json"
    for path in (results, other):
        path.write_text("{}")
    mine = write_samples(tmp_path, "sums", [])
    assert find_samples(results, "sums") == mine
    assert find_samples(other, "sums") is None  # those that lie there are of the other file


@pytest.mark.parametrize("name", ["samples_sums.jsonl", "samples_sums_2024-01-01T00-00-00.jsonl"])
def test_the_only_samples_beside_the_only_results_are_theirs(tmp_path, name):
    results = tmp_path / f"results_{DATE}.json"
    results.write_text("{}")
    (tmp_path / name).write_text("")
    (tmp_path / "samples_sums_hard_2024-01-01T00-00-00.jsonl").write_text("")
    assert find_samples(results, "sums") == tmp_path / name
    assert find_samples(results, "products") is None


@pytest.fixture
def sides(tmp_path) -> tuple[Path, Path]:
    """Two checkpoints of four sums: the second one flips two of them."""
    new, old = tmp_path / "new", tmp_path / "old"
    write_side(new, "lab/new", 100, [1, 0, 0, 1], ["4", "no", "no", "4"])
    write_side(new, "lab/new", 200, [1, 1, 0, 0], ["4", "4", "no", "no"])
    for step in (100, 200):
        write_side(old, "lab/old", step, [0, 1, 0, 1], ["?", "4", "?", "4"])
    return new, old


def run(candidate: Path, incumbent: Path | None, *flags: str, metric: str = "exact_match", task: str = "sums") -> str:
    out = io.StringIO()
    arguments = ["--benchmark", "Sums", "--metric", metric, "--task", task, "--candidate", str(candidate), "--samples"]
    arguments += ["--incumbent", str(incumbent)] if incumbent else []
    call_command("import_results", *arguments, *flags, stdout=out, stderr=out)
    return out.getvalue()


def list_rows(checkpoint: str) -> list[Any]:
    rows = ReplayRow.objects.filter(replay__run__checkpoint_id=checkpoint).order_by("ordinal")
    return list(rows.values_list("ordinal", "status", "winner"))


@pytest.mark.django_db
def test_samples_become_the_rows_of_their_replays(sides, client):
    assert "8 rows of 2 replays\n" in run(*sides)
    assert list_rows("step100") == [
        (0, "done", "candidate"),
        (1, "done", "incumbent"),
        (2, "done", "tie"),
        (3, "done", "tie"),
    ]
    assert [winner for _, _, winner in list_rows("step200")] == ["candidate", "tie", "tie", "incumbent"]
    replay = ReplayRow.objects.filter(replay__run__checkpoint_id="step100")[0].replay_id
    headers = {"benchtrend.workspace": "ws_local"}
    first = client.get(f"/api/loop/benchmark-runs/{replay}/items", **headers).json()["items"][0]
    assert first["prompt"] == [{"role": "user", "content": "0 plus 2 is"}]
    assert first["reference"] == "4"
    assert (first["candidate"]["completion"], first["candidate"]["passed"]) == ("4", True)
    assert (first["incumbent"]["completion"], first["incumbent"]["passed"]) == ("?", False)


@pytest.mark.django_db
def test_importing_again_changes_no_row_and_says_so(sides):
    run(*sides)
    before = list(ReplayRow.objects.order_by("id").values())
    assert "0 rows of 0 replays; 2 replays had rows already" in run(*sides)
    assert list(ReplayRow.objects.order_by("id").values()) == before


@pytest.mark.django_db
def test_rows_can_follow_results_that_were_imported_without_them(sides):
    call_command(
        "import_results", "--benchmark", "Sums", "--metric", "exact_match", "--task", "sums",
        "--candidate", str(sides[0]), "--incumbent", str(sides[1]), stdout=io.StringIO(),
    )  # fmt: skip
    assert "8 rows of 2 replays" in run(*sides)
    assert "8 rows" in AuditEntry.objects.latest("id").message


@pytest.mark.django_db
def test_a_document_that_one_side_lacks_is_a_failed_row(sides):
    path = next(sides[1].glob("*step100/samples_*"))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines[1:]))
    assert "8 rows of 2 replays, 1 of them failed" in run(*sides)
    row = ReplayRow.objects.get(status="failed")
    assert (row.ordinal, row.error, row.winner) == (0, "incumbent: document 0 is not among its samples", None)
    assert row.candidate["completion"] == "4"


@pytest.mark.django_db
def test_two_documents_of_one_id_are_not_compared(sides):
    path = next(sides[1].glob("*step100/samples_*"))
    path.write_text(path.read_text().replace("hash-2", "hash-other"))
    run(*sides)
    row = ReplayRow.objects.get(status="failed")
    assert (row.ordinal, row.error) == (2, "candidate: document 2 is another one than the incumbent's")


@pytest.mark.django_db
def test_a_document_without_a_number_is_a_failed_row_with_its_answer(sides):
    path = next(sides[0].glob("*step100/samples_*"))
    path.write_text(path.read_text().replace('"exact_match": 0', '"exact_match": null'))
    run(*sides)
    row = ReplayRow.objects.filter(status="failed").first()
    assert row.error == "candidate: document 1 has no number of exact_match"
    assert row.candidate["completion"] == "no"


@pytest.mark.django_db
def test_a_replay_without_samples_keeps_its_number_and_is_named(sides):
    next(sides[1].glob("*step100/samples_*")).unlink()
    with pytest.raises(
        CommandError, match="0 files could not be read, 0 checkpoints in conflict, 1 replay without rows"
    ):
        run(*sides)
    assert (list_rows("step100"), len(list_rows("step200"))) == ([], 4)


@pytest.mark.django_db
def test_damaged_samples_cost_their_replay_its_rows_and_are_named(sides):
    path = next(sides[0].glob("*step100/samples_*"))
    path.write_text("{")
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command(
            "import_results", "--benchmark", "Sums", "--metric", "exact_match", "--task", "sums", "--samples",
            "--candidate", str(sides[0]), "--incumbent", str(sides[1]), stdout=io.StringIO(), stderr=out,
        )  # fmt: skip
    assert f"no rows: step100: {path.name}: line 1 is not readable JSON" in out.getvalue()
    assert (list_rows("step100"), len(list_rows("step200"))) == ([], 4)


@pytest.mark.django_db
def test_what_a_filter_read_stands_beside_the_score(sides):
    path = next(sides[0].glob("*step100/samples_*"))
    path.write_text(path.read_text().replace('"filtered_resps": ["4"]', '"filtered_resps": ["four"]'))
    run(*sides)
    row = ReplayRow.objects.filter(replay__run__checkpoint_id="step100").get(ordinal=0)
    assert row.candidate["judge"] == {"overall": 1.0, "dimensions": {}, "reason": "read as: four"}


@pytest.mark.django_db
def test_where_there_is_no_incumbent_a_row_has_one_side(sides):
    run(*sides)
    replay = BenchmarkRun.objects.select_related("run").get(run__checkpoint_id="step100")
    replay.incumbent_score = None  # as a benchmark of one line has it
    folders = {"candidate": write._Folder.read(sides[0]), "incumbent": write._Folder.read(None)}
    scale = Scale.of(replay.benchmark.scoring)
    rows = [settle_row(row, scale) for row in write._build_rows(replay, folders, "exact_match", "sums")]
    assert {(row.status, row.winner, row.incumbent["state"]) for row in rows} == {("done", None, "absent")}


@pytest.mark.django_db
def test_one_fixed_baseline_stands_against_every_checkpoint(sides):
    baseline = next(sides[1].glob("*step200/results_*"))
    assert "8 rows of 2 replays\n" in run(sides[0], baseline)


@pytest.mark.django_db
def test_several_tasks_keep_their_documents_apart(tmp_path):
    for side in ("new", "old"):
        folder, model = tmp_path / side, {"pretrained": f"lab/{side}", "revision": "step1"}
        write_current(
            folder, model, {"t_one": {"acc,none": 0.5}, "t_two": {"acc,none": 1.0}}, name=f"results_{DATE}.json"
        )
        write_samples(folder, "t_one", [build_weighed(n, ["blue", "red"], [-1, -2], 0, acc=1.0 - n) for n in (0, 1)])
        write_samples(folder, "t_two", [build_weighed(0, ["blue", "red"], [-2, -1], 1, acc=True)])
    assert "3 rows of 1 replay\n" in run(tmp_path / "new", tmp_path / "old", metric="acc", task="t_*")
    assert [ordinal for ordinal, _, _ in list_rows("step1")] == [0, 1, 1_000_000]


@pytest.mark.django_db
def test_a_dry_run_looks_at_no_samples_and_a_table_has_none(sides, tmp_path):
    assert "samples are not looked at in a dry run" in run(*sides, "--dry-run")
    assert not ReplayRow.objects.exists()
    table = tmp_path / "table.csv"
    table.write_text("checkpoint,candidate_score,incumbent_score\nstep1,0.5,0.4\n")
    with pytest.raises(CommandError, match="a table has none"):
        run(table, None)
