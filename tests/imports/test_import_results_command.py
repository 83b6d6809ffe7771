"""`manage.py import_results`: what it prints, and its exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dashboard.imports.management.commands import import_results
from dashboard.store.models import Benchmark, BenchmarkRun, RunloopBenchmark, RunloopRun, Trace, TrainingRun
from tests.imports.harness_files import write_current, write_old

pytestmark = pytest.mark.django_db


def run(candidate: Path, incumbent: Path | None = None, *flags: str, stderr: Any = None) -> str:
    out = io.StringIO()
    arguments = ["--benchmark", "LAMBADA", "--candidate", str(candidate)]
    arguments += ["--metric", "acc", "--task", "lambada"] if candidate.suffix not in (".csv", ".jsonl") else []
    arguments += ["--incumbent", str(incumbent)] if incumbent else []
    call_command("import_results", *arguments, *flags, stdout=out, stderr=stderr or io.StringIO())
    return out.getvalue()


@pytest.fixture
def sides(tmp_path) -> tuple[Path, Path]:
    for step in (512, 1000):
        write_old(tmp_path / "new", step, {"lambada": {"acc": step / 2000}})
        write_old(tmp_path / "old", step, {"lambada": {"acc": 0.25}}, model="lab/base")
    write_old(tmp_path / "new", 2000, {"lambada": {"acc": 0.75}})
    return tmp_path / "new", tmp_path / "old"


def test_it_works(sides):
    said = run(*sides)
    benchmark = Benchmark.objects.get(name="LAMBADA")
    assert 'imported 3 new points into "LAMBADA"; 0 already there; the files hold 3 points, 1 gap' in said
    assert "1 gap: no incumbent result (step2000)" in said
    assert "last point: step2000, failed: no incumbent result for step2000" in said
    assert f"see http://127.0.0.1:8000/benchmarks/{benchmark.id}/" in said
    assert BenchmarkRun.objects.count() == 3


def test_the_last_point_says_its_scores(sides):
    (sides[0] / "tiny_step2000.json").unlink()
    assert "last point: step1000, candidate 0.5, incumbent 0.25, delta +0.25" in run(*sides)


def test_a_dry_run_prints_the_table_and_writes_nothing(sides):
    said = run(*sides, "--dry-run")
    assert "would import 3 new points" in said
    assert [line.split()[0] for line in said.splitlines() if line.startswith("step")] == [
        "step512",
        "step1000",
        "step2000",
    ]
    assert "/benchmarks/" not in said
    assert Benchmark.objects.count() == 0


def test_a_second_run_changes_nothing(sides):
    run(*sides)
    said = run(*sides)
    assert "imported 0 new points" in said
    assert "3 already there" in said


def test_an_unreadable_file_is_named_the_rest_imported_and_the_exit_status_says_so(sides):
    (sides[0] / "broken.json").write_text("{")
    err = io.StringIO()
    with pytest.raises(CommandError, match="1 file could not be read, 0 checkpoints in conflict") as caught:
        run(*sides, stderr=err)
    assert caught.value.returncode == 1
    assert "broken.json: not JSON" in err.getvalue()
    assert BenchmarkRun.objects.count() == 3


def test_a_conflict_is_named_left_as_it_was_and_the_exit_status_says_so(sides):
    args = "pretrained=lab/tiny,revision=step512"
    write_current(sides[0], args, {"lambada": {"acc": 0.256}}, name="tiny_step512.json")
    write_current(sides[1], args, {"lambada": {"acc": 0.25}}, name="tiny_step512.json")
    run(*sides)
    write_current(sides[0], args, {"lambada": {"acc": 0.9}}, name="tiny_step512.json")
    err = io.StringIO()
    with pytest.raises(CommandError, match="1 checkpoint in conflict"):
        run(*sides, stderr=err)
    assert "step512: candidate was 0.256, the files say 0.9" in err.getvalue()


def test_a_refusal_is_one_sentence(tmp_path):
    with pytest.raises(CommandError, match="does not exist"):
        run(tmp_path / "nowhere")


def test_decisions_and_a_table_and_the_pattern_go_through(sides, tmp_path):
    run(*sides, "--promote", "best", "--rule", "nightly")
    decisions = BenchmarkRun.objects.order_by("created_at").values_list("run__decision", "run__rule__name")
    assert list(decisions) == [("promoted", "nightly"), ("promoted", "nightly"), (None, "nightly")]
    table = tmp_path / "t.csv"
    table.write_text("checkpoint,candidate_score,incumbent_score\na,1,2\n")
    call_command("import_results", "--benchmark", "T", "--candidate", str(table), stdout=io.StringIO())
    assert Benchmark.objects.get(name="T").scoring["metric"] == "score"


def test_appending_to_a_mean_keeps_its_tasks(tmp_path):
    tasks = {"m_a": {"acc,none": 0.25}, "m_b": {"acc,none": 0.5}}
    flags = ["--benchmark", "M", "--metric", "acc", "--task", "m_*", "--candidate", str(tmp_path / "n")]
    flags += ["--incumbent", str(tmp_path / "n")]
    write_current(tmp_path / "n", "pretrained=a,revision=step1", tasks, name="1.json")
    call_command("import_results", *flags, stdout=io.StringIO())
    more = tasks | {"m_c": {"acc,none": 1.0}}
    write_current(tmp_path / "n", "pretrained=a,revision=step2", more, name="2.json")
    out = io.StringIO()
    call_command("import_results", *flags, stdout=out)
    assert "tasks left out, because the benchmark was made without them: m_c" in out.getvalue()
    assert [r.candidate_score for r in BenchmarkRun.objects.all()] == [0.375, 0.375]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_and_for_long_imports_only(sides, monkeypatch):
    screen, log = Terminal(), io.StringIO()
    run(*sides, "--dry-run", stderr=screen)
    assert "\rread 3 of 3 files" in screen.getvalue()
    run(*sides, "--dry-run", stderr=log)
    assert log.getvalue() == ""
    monkeypatch.setattr(import_results, "PROGRESS_FROM_FILES", 2)
    run(*sides, "--dry-run", stderr=log)
    assert log.getvalue().splitlines() == ["read 2 of 3 files", "read 3 of 3 files"]


def test_many_gap_reasons_are_grouped_with_a_few_names(tmp_path):
    for step in range(6):
        write_old(tmp_path / "new", step, {"lambada": {"acc": 0.5}})
    write_old(tmp_path / "old", 5, {"lambada": {"acc": 0.5}})
    said = run(tmp_path / "new", tmp_path / "old", "--incumbent-is", "baseline-run")
    assert "5 gaps: no incumbent result (step0, step1, step2 and 2 more)" in said


def test_files_of_another_kind_beside_the_results_are_passed_over_in_one_line(sides):
    for name in ("config.json", "notes.json", "._tiny_step512.json"):
        (sides[0] / name).write_text(json.dumps({"model_type": "gpt"}))
    assert "3 other JSON files passed over: ._tiny_step512.json, config.json, notes.json" in run(*sides)
    (sides[0] / "results_2024.json").write_text("{}")
    with pytest.raises(CommandError, match="1 file could not be read"):
        run(*sides)


def test_an_import_can_be_taken_back_as_a_whole(sides):
    said = run(*sides)
    call_command("import", "undo", said.split()[-1], stdout=io.StringIO())
    assert (Benchmark.objects.count(), BenchmarkRun.objects.count()) == (0, 0)
    with pytest.raises(CommandError, match="it was taken back on"):
        call_command("import", "undo", said.split()[-1], stdout=io.StringIO())


def test_an_import_on_which_something_was_decided_stays(sides):
    said = run(*sides)
    TrainingRun.objects.filter(checkpoint_id="step512").update(decision="rejected", decided_by="ana")
    with pytest.raises(CommandError, match="step512 was decided by ana, so nothing was taken back"):
        call_command("import", "undo", said.split()[-1], stdout=io.StringIO())
    assert BenchmarkRun.objects.count() == 3


def test_the_service_shows_what_was_imported(sides, client):
    run(*sides)
    headers = {"benchtrend.workspace": "ws_local"}
    benchmark = client.get("/api/loop/benchmarks", **headers).json()["benchmarks"][0]
    assert benchmark["scoring"]["scale"] == "0 to 1"
    history = client.get(f"/api/loop/benchmarks/{benchmark['id']}/history", **headers).json()
    assert [(p["checkpoint_id"], p["score_delta"]) for p in history["points"]] == [
        ("step2000", None),
        ("step1000", 0.25),
        ("step512", 0.256 - 0.25),
    ]
    replay = client.get(f"/api/loop/benchmark-runs/{history['points'][0]['benchmark_run_id']}", **headers).json()
    assert replay["benchmark_run"]["status_reason"] == "no incumbent result for step2000"


LAMBADA = {"lambada": {"acc": 0.5}}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"higher_is_better": {"lambada": {"acc": []}}}, '"higher_is_better" says something other than true or false'),
        ({"versions": {"lambada": float("nan")}}, "no value that can be compared"),
        ({"config": {"limit": float("inf")}}, "no value that can be compared"),
        ({"versions": {"lambada": "\ud800"}}, "half a character"),
        ({"results": {"lambada": {"acc": 0.5, "\ud800": 0.5}}}, "half a character"),
    ],
)
def test_one_odd_file_is_named_and_the_rest_imported(sides, changed, why):
    write_current(sides[0], "pretrained=lab/tiny,revision=step3", LAMBADA, name="odd.json", **changed)
    err = io.StringIO()
    with pytest.raises(CommandError, match="1 file could not be read"):
        run(*sides, stderr=err)
    assert "odd.json: " in err.getvalue()
    assert why in err.getvalue()
    assert BenchmarkRun.objects.count() == 3


def test_a_candidate_folder_without_a_readable_file_writes_nothing_whatever_the_baseline(tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "broken.json").write_text("{")
    baseline = write_old(tmp_path / "old", 1, LAMBADA)
    with pytest.raises(CommandError, match=r"no candidate file could be read: .*broken\.json: not JSON"):
        run(tmp_path / "new", baseline)
    assert Benchmark.objects.count() == 0


def test_what_files_say_reaches_the_terminal_on_one_line_and_escaped(sides, tmp_path):
    (sides[0] / "\x1b[31mred\n.json").write_text("{")
    write_old(sides[0], 3, LAMBADA, model="lab/tiny")
    document = json.loads((sides[0] / "tiny_step3.json").read_text())
    document["config"]["model_args"] = "pretrained=lab/tiny,revision=a\x1b]0;title\x07b"
    (sides[0] / "tiny_step3.json").write_text(json.dumps(document))
    err = io.StringIO()
    with pytest.raises(CommandError):
        run(*sides, "--dry-run", stderr=err)
    assert "\\x1b[31mred\\x0a.json: not JSON" in err.getvalue()
    table = tmp_path / "t.jsonl"
    rows = [
        {"checkpoint": "a\x1b[2Jb", "candidate_score": 1, "incumbent_score": 2, "note\u202e": "x"},
        {"checkpoint": "z\x9b", "candidate_score": None, "incumbent_score": 2, "status_reason": "so\nit was"},
    ]
    table.write_text("\n".join(map(json.dumps, rows)))
    said = run(table, None, "--dry-run")
    assert "a\\x1b[2Jb " in said
    assert "so\\x0ait was" in said
    assert "note\\u202e is no dimension" in said
    assert not {"\x1b", "\x9b", "\u202e"} & {*said, *err.getvalue()}
    table.write_text(json.dumps({"\x1bcheckpoint": "a"}))
    with pytest.raises(CommandError, match=r"there are: \\x1bcheckpoint"):
        run(table)


def test_a_time_in_a_file_s_name_that_leaves_no_room_around_it_is_no_date(tmp_path):
    for name, step in (("results_9999-12-31T23-59-59.json", 1), ("b.json", 2)):
        write_current(tmp_path / "new", f"pretrained=a,revision=step{step}", LAMBADA, date=None, name=name)
    assert "2 of 2 checkpoints have no date" in run(tmp_path / "new")


def test_undo_gives_a_filled_gap_back_and_keeps_what_was_there_before(sides):
    run(*sides)
    write_old(sides[1], 2000, {"lambada": {"acc": 0.25}}, model="lab/base")
    said = run(*sides)
    assert "a gap is filled: step2000" in said
    call_command("import", "undo", said.split()[-1], stdout=io.StringIO())
    gap = BenchmarkRun.objects.get(run__checkpoint_id="step2000")
    assert (gap.status, gap.candidate_score, gap.status_reason) == ("failed", None, "no incumbent result for step2000")
    out = io.StringIO()
    call_command("import", "list", stdout=out)
    assert len(out.getvalue().splitlines()) == 2
    assert ", taken back " in out.getvalue().splitlines()[0]
    with pytest.raises(CommandError, match="Say which import"):
        call_command("import", "undo", stdout=io.StringIO())
    with pytest.raises(CommandError, match="there is no import imp_none"):
        call_command("import", "undo", "imp_none", stdout=io.StringIO())


def test_an_earlier_import_stays_while_a_later_one_hangs_on_it(sides):
    first = run(*sides)
    write_old(sides[0], 3000, {"lambada": {"acc": 0.75}})
    run(*sides)
    with pytest.raises(CommandError, match="replays of a later import: take that one back first"):
        call_command("import", "undo", first.split()[-1], stdout=io.StringIO())


def test_conversations_and_agent_runs_can_be_taken_back(tmp_path):
    chats, runs = tmp_path / "chats.jsonl", tmp_path / "runs.json"
    chats.write_text('{"prompt": "Hi"}')
    runs.write_text('[{"id": "bmr_1", "benchmark_id": "bmd_1", "state": "running", "start_time_ms": 1790000000000}]')
    for command, path, flags in (("import_conversations", chats, ["--source", "s"]), ("import_runloop", runs, [])):
        out = io.StringIO()
        call_command(command, str(path), *flags, stdout=out)
        call_command("import", "undo", out.getvalue().split()[-1], stdout=io.StringIO())
    assert (Trace.objects.count(), RunloopRun.objects.count(), RunloopBenchmark.objects.count()) == (0, 0, 0)


def test_standard_errors_and_counts_are_kept_and_sent(tmp_path, client):
    for side in ("new", "old"):
        args = f"pretrained=lab/{side},revision=step1"
        write_current(tmp_path / side, args, {"lambada": {"acc,none": 0.5, "acc_stderr,none": 0.02}})
    run(tmp_path / "new", tmp_path / "old")
    path = f"/api/loop/benchmarks/{Benchmark.objects.get().pk}/history"
    (point,) = client.get(path, **{"benchtrend.workspace": "ws_local"}).json()["points"]
    assert (point["candidate_stderr"], point["incumbent_stderr"], point["n"]) == (0.02, 0.02, 100)
    assert point["incumbent_ref"]["name"] == "lab/old"


@pytest.mark.parametrize(
    ("flags", "version", "baseline_run"), [([], "step1", None), (["--incumbent-is", "baseline-run"], None, True)]
)
def test_an_incumbent_serves_or_is_a_baseline_run(tmp_path, flags, version, baseline_run):
    write_old(tmp_path / "new", 1, LAMBADA)
    run(tmp_path / "new", write_old(tmp_path / "old", 1, LAMBADA), *flags)
    ref = BenchmarkRun.objects.get().incumbent_ref
    assert (ref["model_version"], ref.get("baseline_run")) == (version, baseline_run)


def test_another_models_first_import_says_how_to_continue_the_line(tmp_path):
    run(write_old(tmp_path / "a", 1, LAMBADA, model="lab/a"))
    said = run(write_old(tmp_path / "b", 2, LAMBADA, model="lab/b"))
    assert 'import with --rule "import: lab/a (LAMBADA)"' in said


def test_the_best_is_not_promoted_where_no_direction_is_known(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("checkpoint,candidate_score,incumbent_score\na,1,2\n")
    with pytest.raises(CommandError, match="--lower-is-better or --higher-is-better"):
        run(table, None, "--promote", "best")
    with pytest.raises(CommandError, match="is no regular expression"):
        run(table, None, "--checkpoint-from", "(")
    with pytest.raises(CommandError, match="it is WORD=STATUS"):
        run(table, None, "--status-is", "fertig")


def test_a_saved_refusal_of_runloop_is_named_as_one(tmp_path):
    (tmp_path / "r.json").write_text('{"error": {"message": "Unauthorized"}}')
    with pytest.raises(CommandError, match="it is an error that the API answered, and holds no runs: Unauthorized"):
        call_command("import_runloop", str(tmp_path / "r.json"))
