"""Reading result files of lm-evaluation-harness: which numbers, of which checkpoint, and why there is none."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from dashboard.imports.results.files import Wanted, read_results
from dashboard.imports.results.harness.file import decode_file
from dashboard.imports.results.types import ResultsError, ResultSet
from tests.imports.harness_files import MAY_1, write_current, write_old


def read(tmp_path: Path, task: str = "lambada", metric: str = "acc", **options: object) -> ResultSet:
    progress = options.pop("progress", None)
    wanted = Wanted(metric=metric, task=task, **options)
    return read_results(tmp_path / "new", tmp_path / "old", wanted, progress)


LAMBADA = Wanted(metric="acc", task="lambada")


def write_pair(tmp_path: Path, step: int, candidate: dict, incumbent: dict | None = None) -> None:
    write_old(tmp_path / "new", step, {"lambada": candidate})
    write_old(tmp_path / "old", step, {"lambada": candidate if incumbent is None else incumbent}, model="lab/base")


def test_it_works(tmp_path):
    write_pair(tmp_path, 512, {"acc": 0.5, "acc_stderr": 0.1}, {"acc": 0.25})
    results = read(tmp_path)
    (result,) = results.results
    assert (result.checkpoint, result.candidate, result.incumbent, result.status) == ("step512", 0.5, 0.25, "done")
    assert (result.candidate_model, result.candidate_version) == ("lab/tiny", "step512")
    assert result.incumbent_model == "lab/base"
    assert (results.measure.scale, results.measure.require_all_rows) == ("0 to 1", True)
    assert result.created_at is None
    assert result.dimensions == ()


def test_the_current_format_gives_the_date_the_questions_and_the_value_behind_its_filter(tmp_path):
    for side, score in (("new", 0.5), ("old", 0.25)):
        write_current(
            tmp_path / side,
            {"pretrained": f"out/{side}/checkpoint-20"},
            {"gsm": {"acc,none": score, "acc_stderr,none": "N/A"}},
        )
    (result,) = read(tmp_path, task="gsm").results
    assert (result.checkpoint, result.candidate, result.incumbent, result.rows) == ("checkpoint-20", 0.5, 0.25, 100)
    assert result.created_at == datetime(2024, 5, 1, 10, 20, 30, 500_000, tzinfo=UTC)
    assert (result.candidate_model, result.candidate_version) == ("out/new", None)


def test_a_metric_with_several_filters_must_name_one(tmp_path):
    metrics = {"exact_match,strict-match": 0.5, "exact_match,flexible-extract": 0.6}
    for side in ("new", "old"):
        write_current(tmp_path / side, "pretrained=a/b,revision=step1", {"gsm": metrics})
    with pytest.raises(ResultsError, match="several filters: exact_match,flexible-extract, exact_match,strict-match"):
        read(tmp_path, task="gsm", metric="exact_match")
    assert read(tmp_path, task="gsm", metric="exact_match,strict-match").results[0].candidate == 0.5


def test_checkpoints_are_ordered_as_numbers_are(tmp_path):
    for step in (1000, 512, 2, 143000):
        write_pair(tmp_path, step, {"acc": 0.5})
    assert [r.checkpoint for r in read(tmp_path).results] == ["step2", "step512", "step1000", "step143000"]


@pytest.mark.parametrize(
    ("model_args", "name", "checkpoint", "model"),
    [
        ("pretrained=lab/tiny,revision=step5", "x.json", "step5", "lab/tiny"),
        ("pretrained=lab/tiny,revision=main", "tiny_step7.json", "step7", "lab/tiny"),
        (
            "pretrained=/data/run1/checkpoint-1000/,dtype=auto",
            "results_2024-05-01T10-20-30.1.json",
            "checkpoint-1000",
            "/data/run1",
        ),
        ("pretrained=lab/tiny,peft=out/lora/checkpoint-9", "x.json", "checkpoint-9", "out/lora"),
        ({"pretrained": "lab/tiny-step8", "revision": None}, "x.json", "step8", "lab/tiny"),
        ("pretrained=lab/tiny", "step30/results.json", "step30", "lab/tiny"),
        ("pretrained=lab/tiny-v2", "results.json", "tiny-v2", "lab/tiny-v2"),
        ("", "night.json", "night", "hf"),
        ("pretrained=step9", "x.json", "step9", "hf"),
    ],
)
def test_the_checkpoint_is_read_from_revision_then_path_then_names(model_args, name, checkpoint, model):
    document = {"results": {"t": {"acc": 1}}, "config": {"model": "hf", "model_args": model_args}}
    file = decode_file(document, name, "folder")
    assert (file.checkpoint, file.model) == (checkpoint, model)


def test_the_model_falls_back_to_the_model_name_and_then_to_the_folder():
    assert decode_file({"results": {"t": {}}, "model_name": "lab/tiny"}, "a.json", "folder").model == "lab/tiny"
    assert decode_file({"results": {"t": {}}}, "a.json", "folder").model == "folder"


@pytest.mark.parametrize(
    ("date", "name", "expected"),
    [
        (MAY_1 * 1000, "results.json", None),  # milliseconds
        (True, "results.json", None),
        ("yesterday", "results_2024-05-02T01-02-03.5.json", datetime(2024, 5, 2, 1, 2, 3, 500_000, tzinfo=UTC)),
        (None, "results_2024-13-02T01-02-03.json", None),
    ],
)
def test_a_date_that_is_no_unix_time_falls_back_to_the_time_in_the_name(date, name, expected):
    assert decode_file({"results": {"t": {}}, "date": date}, name, "folder").created_at == expected


def test_a_missing_side_is_a_replay_without_a_score_that_names_it(tmp_path):
    write_pair(tmp_path, 1, {"acc": 0.5})
    write_old(tmp_path / "new", 512, {"lambada": {"acc": 0.5}})
    write_old(tmp_path / "old", 600, {"lambada": {"acc": 0.5}})
    _, lone, other = read(tmp_path).results
    assert (lone.status, lone.reason, lone.candidate) == ("failed", "no incumbent result for step512", None)
    assert (other.status, other.reason, other.incumbent) == ("failed", "no candidate result for step600", None)
    assert other.candidate_model == "lab/tiny"


def test_without_an_incumbent_a_candidate_is_one_line(tmp_path):
    write_old(tmp_path / "new", 512, {"lambada": {"acc": 0.5}})
    (result,) = read_results(tmp_path / "new", None, LAMBADA).results
    assert (result.status, result.candidate, result.incumbent, result.incumbent_model) == ("done", 0.5, None, "")


def test_one_incumbent_file_is_the_baseline_of_every_checkpoint(tmp_path):
    for step in (1, 2):
        write_old(tmp_path / "new", step, {"lambada": {"acc": step / 10}})
    baseline = write_old(tmp_path / "old", 99, {"lambada": {"acc": 0.3}}, model="lab/base")
    results = read_results(tmp_path / "new", baseline, LAMBADA).results
    assert [(r.candidate, r.incumbent) for r in results] == [(0.1, 0.3), (0.2, 0.3)]


def test_folders_without_a_common_checkpoint_hint_at_a_fixed_baseline(tmp_path):
    write_old(tmp_path / "new", 1, {"lambada": {"acc": 0.5}})
    write_old(tmp_path / "old", 9, {"lambada": {"acc": 0.5}})
    write_old(tmp_path / "old", 10, {"lambada": {"acc": 0.5}})
    with pytest.raises(ResultsError, match="--incumbent FILE"):
        read(tmp_path)
    assert [r.status for r in read(tmp_path, incumbent_is="baseline-run").results] == ["failed"] * 3


def test_a_folder_of_one_result_is_the_baseline_of_every_checkpoint(tmp_path):
    for step in (1, 2):
        write_old(tmp_path / "new", step, {"lambada": {"acc": 0.5}})
    write_old(tmp_path / "old", 9, {"lambada": {"acc": 0.25}})
    results = read(tmp_path)
    assert [r.incumbent for r in results.results] == [0.25, 0.25]
    assert any("it is the baseline of every checkpoint" in note for note in results.notes)
    write_old(tmp_path / "old", 9, {"lambada": {"acc": 0.25}}).rename(tmp_path / "old" / "x.json")
    (tmp_path / "old" / "x.json").unlink()
    write_old(tmp_path / "old", 2, {"lambada": {"acc": 0.25}})
    with pytest.raises(ResultsError, match="--incumbent-is serving sets every candidate"):
        read(tmp_path)


def test_zero_is_a_score(tmp_path):
    write_pair(tmp_path, 1, {"acc": 0.0}, {"acc": 0})
    assert read(tmp_path).results[0].candidate == 0.0
    assert read(tmp_path).results[0].status == "done"


@pytest.mark.parametrize("value", ["0.5", True, None, float("nan"), float("inf"), [0.5], 10**400])
def test_what_is_not_a_finite_number_is_a_reason_and_never_a_score(tmp_path, value):
    write_pair(tmp_path, 1, {"acc": 0.5})
    write_pair(tmp_path, 2, {"acc": 0.5}, {"acc": value})
    result = read(tmp_path).results[1]
    assert (result.status, result.candidate, result.incumbent) == ("failed", None, None)
    assert result.reason.startswith("incumbent: metric acc of task lambada is not a finite number: ")


def test_an_integer_that_no_float_holds_is_a_reason_that_names_it(tmp_path):
    write_pair(tmp_path, 1, {"acc": 2**53}, {"acc": 2**53 + 1})
    assert read(tmp_path).results[0].reason == (
        "incumbent: metric acc of task lambada is an integer beyond 2^53 that cannot be kept exactly: 9007199254740993"
    )


def test_a_checkpoint_without_the_metric_or_the_task_says_which(tmp_path):
    write_pair(tmp_path, 1, {"acc": 0.5})
    write_pair(tmp_path, 2, {"acc": 0.5}, {"ppl": 3.0})
    write_pair(tmp_path, 3, {"acc": 0.5})
    write_old(tmp_path / "new", 3, {"other": {"acc": 0.5}})
    _, second, third = read(tmp_path).results
    assert second.reason == "incumbent: no metric acc for task lambada"
    assert third.reason == "no candidate result for task lambada"


def test_a_pattern_makes_dimensions_and_their_unweighted_mean(tmp_path):
    for side, shift in (("new", 0.25), ("old", 0.0)):
        write_old(
            tmp_path / side, 1, {"mmlu-a": {"acc": 0.25 + shift}, "mmlu-b": {"acc": 0.5 + shift}, "x": {"acc": 1}}
        )
    results = read(tmp_path, task="mmlu-*")
    (result,) = results.results
    assert (result.candidate, result.incumbent) == (0.625, 0.375)
    assert [(d.key, d.candidate, d.incumbent) for d in result.dimensions] == [
        ("mmlu-a", 0.5, 0.25),
        ("mmlu-b", 0.75, 0.5),
    ]
    assert results.measure.aggregate == "unweighted mean of the 2 tasks mmlu-*"
    assert results.measure.dimensions == ("mmlu-a", "mmlu-b")


def test_a_mean_over_fewer_tasks_is_no_score(tmp_path):
    both = {"mmlu-a": {"acc": 0.25}, "mmlu-b": {"acc": 0.5}}
    for side in ("new", "old"):
        write_old(tmp_path / side, 1, both)
    write_old(tmp_path / "new", 2, {"mmlu-a": {"acc": 0.9}})
    write_old(tmp_path / "old", 2, both)
    result = read(tmp_path, task="mmlu-*").results[1]
    assert (result.status, result.reason) == ("failed", "no candidate result for task mmlu-b")


def test_the_tasks_of_an_existing_benchmark_are_kept_and_others_left_out(tmp_path):
    for side in ("new", "old"):
        write_old(tmp_path / side, 1, {"mmlu-a": {"acc": 0.25}, "mmlu-b": {"acc": 0.5}})
    results = read(tmp_path, task="mmlu-*", frozen_tasks=["mmlu-a"])
    assert results.results[0].candidate == 0.25
    assert any("mmlu-b" in note for note in results.notes)


def test_a_group_counts_only_when_it_is_named_exactly(tmp_path):
    tasks = {"mmlu": {"acc,none": 0.9}, "mmlu_a": {"acc,none": 0.2}, "mmlu_b": {"acc,none": 0.4}}
    for side in ("new", "old"):
        write_current(
            tmp_path / side, "pretrained=a,revision=step1", tasks, group_subtasks={"mmlu": ["mmlu_a", "mmlu_b"]}
        )
    assert read(tmp_path, task="mmlu*").results[0].candidate == pytest.approx(0.3)
    assert read(tmp_path, task="mmlu").results[0].candidate == 0.9


def test_sides_measured_with_other_shots_or_versions_make_no_score(tmp_path):
    write_current(tmp_path / "new", "pretrained=a,revision=step1", {"t": {"acc,none": 0.5}})
    write_current(tmp_path / "old", "pretrained=b,revision=step1", {"t": {"acc,none": 0.5}}, **{"n-shot": {"t": 0}})
    (result,) = read(tmp_path, task="t").results
    assert (result.scored, result.candidate, result.found) == (False, None, (0.5, 0.5))
    assert result.reason == "not measured alike: shots"


def test_an_unbounded_metric_claims_no_bounds_and_knows_that_lower_is_better(tmp_path):
    write_pair(tmp_path, 1, {"ppl": 12.5})
    measure = read(tmp_path, metric="ppl").measure
    assert (measure.scale, measure.lower_is_better) == ("no bounds, lower is better", True)


def test_the_files_own_direction_wins_over_the_metrics_name(tmp_path):
    for side in ("new", "old"):
        write_current(
            tmp_path / side,
            "pretrained=a,revision=step1",
            {"t": {"odd,none": 2.0}},
            higher_is_better={"t": {"odd": False}},
        )
    assert read(tmp_path, task="t", metric="odd").measure.lower_is_better
    for side in ("new", "old"):
        write_current(
            tmp_path / side, "pretrained=a,revision=step1", {"t": {"odd,none": 2.0}}, higher_is_better={"t": None}
        )
    assert read(tmp_path, task="t", metric="odd").measure.scale == "no bounds, direction unknown"


def test_each_dated_result_of_a_checkpoint_is_a_replay_and_an_unlike_one_is_named(tmp_path):
    write_old(tmp_path / "old", 1, {"t": {"acc": 0.1}})
    args = "pretrained=lab/tiny,revision=step1"
    write_current(tmp_path / "old", args, {"t": {"acc,none": 0.1}}, name="b.json")
    write_current(tmp_path / "new", args, {"t": {"acc,none": 0.2}}, date=MAY_1 + 60, name="a.json")
    write_current(tmp_path / "new", args, {"t": {"acc,none": 0.9}}, date=MAY_1, name="b.json")
    results = read(tmp_path, task="t")
    assert [(r.candidate, r.incumbent) for r in results.results] == [(0.9, 0.1), (0.2, 0.1)]
    assert results.results[0].created_at < results.results[1].created_at
    assert any("b.json counts" in note and "tiny_step1.json does not" in note for note in results.notes)


def test_two_results_of_one_checkpoint_that_no_date_tells_apart_are_refused_by_name(tmp_path):
    write_pair(tmp_path, 1, {"acc": 0.5})
    write_old(tmp_path / "new" / "again", 1, {"lambada": {"acc": 0.6}})
    with pytest.raises(ResultsError, match=r"again/tiny_step1.json and tiny_step1.json both are step1 of lab/tiny"):
        read(tmp_path)


def test_the_full_measurement_counts_whatever_the_number_of_smoke_tests(tmp_path):
    args = "pretrained=lab/tiny,revision=step1"
    for side in ("new", "old"):
        write_current(tmp_path / side, args, {"t": {"acc,none": 0.5}}, name="full.json")
        for n in range(3):
            smoke = {
                "config": {"model_args": args, "limit": 10},
                "n-samples": {"t": {"original": 200, "effective": 10}},
            }
            write_current(
                tmp_path / side, args, {"t": {"acc,none": 0.9}}, name=f"smoke{n}.json", date=MAY_1 + n, **smoke
            )
    results = read(tmp_path, task="t")
    assert [r.candidate for r in results.results] == [0.5]
    assert any("smoke2.json does not (limit 10" in note for note in results.notes)


def test_tasks_of_one_checkpoint_may_stand_in_several_files(tmp_path):
    args = "pretrained=lab/tiny,revision=step1"
    for side in ("new", "old"):
        write_current(tmp_path / side, args, {"t-a": {"acc,none": 0.2}}, name="a.json")
        write_current(tmp_path / side, args, {"t-b": {"acc,none": 0.4}}, name="b.json", date=MAY_1 + 60)
        write_current(tmp_path / side, args, {"other": {"acc,none": 0.4}}, name="c.json", date=MAY_1 + 90)
    results = read(tmp_path, task="t-*")
    assert results.results[0].candidate == pytest.approx(0.3)
    assert results.notes == ()


def test_a_folder_with_one_checkpoint_of_two_models_is_two_lines_and_says_so(tmp_path):
    for model in ("lab/a", "lab/b"):
        write_old(tmp_path / "new" / model, 1, {"lambada": {"acc": 0.5}}, model=model)
    results = read_results(tmp_path / "new", None, LAMBADA)
    assert [r.candidate_model for r in results.results] == ["lab/a", "lab/b"]
    assert any("looks like 2 models, a line each: lab/a at step1; lab/b at step1" in note for note in results.notes)
    with pytest.raises(ResultsError, match="step1 of two models, lab/a and lab/b"):
        read_results(tmp_path / "new" / "lab" / "a", tmp_path / "new", LAMBADA)


def test_an_unknown_task_or_metric_lists_what_there_is_nearest_first(tmp_path):
    write_old(tmp_path / "new", 1, {"arc": {"acc": 1, "acc_stderr": 1, "ppl": 2, "note": "x"}, "lambada": {"acc": 1}})
    with pytest.raises(ResultsError, match="no task matches lambda; there are: lambada, arc"):
        read_results(tmp_path / "new", None, Wanted(metric="acc", task="lambda"))
    with pytest.raises(ResultsError, match=r"no metric pl for task arc; there are: ppl, acc$"):
        read_results(tmp_path / "new", None, Wanted(metric="pl", task="arc"))
    with pytest.raises(ResultsError, match="say which with --task and --metric"):
        read_results(tmp_path / "new", None, Wanted(task="arc"))
