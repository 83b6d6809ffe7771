"""Importing into the database: what is new, what is left as it was, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from dashboard.imports.results.plan import ImportRefused, Plan, find_benchmark, list_frozen_tasks, plan_import
from dashboard.imports.results.types import DimensionResult, Measure, Result, ResultSet
from dashboard.imports.results.write import write_import
from dashboard.store.models import Benchmark, BenchmarkRun, Rule, TrainingRun, Workspace

pytestmark = pytest.mark.django_db
NOW = datetime(2024, 6, 1, 12, 0, 30, tzinfo=UTC)
MEASURE = Measure(
    "lm-evaluation-harness", "acc", "the value of task t", "0 to 1", (), lower_is_better=False, require_all_rows=True
)


def make_result(step: int, candidate: float | None = 0.5, incumbent: float | None = 0.25, **more: Any) -> Result:
    scored = candidate is not None
    defaults: dict[str, Any] = {
        "candidate_model": "lab/tiny",
        "incumbent_model": "lab/base",
        "status": "done" if scored else "failed",
        "reason": None if scored else f"no incumbent result for step{step}",
        "candidate": candidate,
        "incumbent": incumbent if scored else None,
        "identity": {"metric": "acc", "tasks": {"t": {"version": 1}}} if scored else None,
    }
    return Result(checkpoint=f"step{step}", **(defaults | more))


def run_import(results: Sequence[Result], name: str = "b", measure: Measure = MEASURE, **options: Any) -> Plan:
    workspace = Workspace.default()
    plan = plan_import(workspace, name, ResultSet(measure, tuple(results), origin="folder"), now=NOW, **options)
    write_import(workspace, plan, now=NOW)
    return plan


def list_replays() -> list[BenchmarkRun]:
    return list(BenchmarkRun.objects.select_related("run", "run__rule").order_by("created_at", "id"))


def snapshot() -> list[Any]:
    models = (Benchmark, Rule, TrainingRun, BenchmarkRun)
    return [list(model.objects.order_by("id").values()) for model in models]


def test_it_works():
    run_import([make_result(1), make_result(2, None)])
    benchmark = Benchmark.objects.get()
    assert (benchmark.judge_name, benchmark.judge_model, benchmark.created_by) == (
        "lm-evaluation-harness",
        "none (metric acc)",
        "import",
    )
    assert benchmark.scoring == {
        "metric": "acc",
        "scale": "0 to 1",
        "aggregate": "the value of task t",
        "require_all_rows": True,
        "standard": {"metric": "acc", "tasks": {"t": {"version": 1}}},
    }
    scored, gap = list_replays()
    assert (scored.candidate_score, scored.incumbent_score, scored.score_delta) == (0.5, 0.25, 0.25)
    assert (gap.status, gap.status_reason) == ("failed", "no incumbent result for step2")
    assert scored.items_digest == gap.items_digest == benchmark.items_digest
    assert scored.incumbent_ref == {
        "kind": "deployment",
        "name": "lab/base",
        "deployment_id": None,
        "model_version": None,
    }
    run = scored.run
    assert (run.seq, run.checkpoint_id, run.checkpoint_step, run.decision, run.state) == (
        1,
        "step1",
        1,
        None,
        "reported",
    )
    assert run.rule.name == "import: lab/tiny (b)"
    assert run.rule.benchmark == benchmark
    assert not run.rule.enabled


def test_importing_the_same_again_changes_nothing():
    results = [make_result(1), make_result(2, None), make_result(3, dimensions=(DimensionResult("a", 0.1, 0.3),))]
    run_import(results)
    before = snapshot()
    plan = run_import(results)
    assert (plan.new, plan.unchanged, plan.conflicts) == ((), 3, ())
    assert snapshot() == before


def test_undated_checkpoints_get_ordered_times_a_minute_apart_in_the_past():
    plan = run_import([make_result(1), make_result(2), make_result(3)])
    times = [r.created_at for r in list_replays()]
    assert [b - a for a, b in pairwise(times)] == [timedelta(minutes=1)] * 2
    assert times[-1] == datetime(2024, 5, 31, 12, 0, tzinfo=UTC)
    assert plan.notes == (
        "3 of 3 checkpoints have no date: they were given times one minute apart, in checkpoint order",
    )


def list_undated() -> list[bool]:
    return [replay.undated for replay in list_replays()]


def test_only_a_time_that_was_invented_is_marked():
    run_import([make_result(1), make_result(2, created_at=NOW - timedelta(days=3))])
    assert list_undated() == [True, False]


def test_times_that_the_order_of_checkpoints_replaces_are_marked():
    dated = [make_result(n, created_at=NOW - timedelta(days=n)) for n in (1, 2)]
    run_import(dated, order="checkpoint")
    run_import(dated)
    assert list_undated() == [True, True]


def test_a_date_that_the_files_gave_once_is_not_marked_when_they_no_longer_do():
    at = NOW - timedelta(days=3)
    run_import([make_result(n, created_at=at + n * timedelta(hours=1)) for n in (1, 2)])
    run_import([make_result(1), make_result(2)])
    assert list_undated() == [False, False]
    run_import([make_result(n, created_at=at + n * timedelta(hours=1)) for n in (1, 2)], order="checkpoint")
    assert list_undated() == [False, False]


def test_a_filled_gap_is_as_undated_as_it_was():
    run_import([make_result(0), make_result(1, None), make_result(2, None, created_at=NOW - timedelta(days=3))])
    run_import([make_result(1, created_at=NOW), make_result(2)])
    assert [replay.candidate_score for replay in list_replays()] == [0.5, 0.5, 0.5]
    assert list_undated() == [True, True, False]


def test_new_checkpoints_are_appended_and_the_old_stay_as_they_are():
    run_import([make_result(2), make_result(4)])
    before = list(BenchmarkRun.objects.values().order_by("created_at"))
    plan = run_import([make_result(1), make_result(2), make_result(4), make_result(6)])
    assert [r.run.checkpoint_id for r in list_replays()] == ["step2", "step4", "step1", "step6"]
    assert list(BenchmarkRun.objects.values().order_by("created_at"))[:2] == before
    assert [r.run.seq for r in list_replays()] == [1, 2, 3, 4]
    assert "after everything imported before" in plan.notes[0]


def test_dates_are_taken_from_the_files_and_a_contradiction_to_the_numbers_is_said():
    later, earlier = NOW - timedelta(days=2), NOW - timedelta(days=3)
    results = [make_result(1, created_at=later), make_result(2, created_at=earlier)]
    plan = run_import(results)
    assert [(r.run.checkpoint_id, r.created_at) for r in list_replays()] == [("step2", earlier), ("step1", later)]
    assert any("trend follows the dates" in note for note in plan.notes)
    run_import(results, name="by number", order="checkpoint")
    replays = Benchmark.objects.get(name="by number").replays.order_by("created_at")
    assert [r.run.checkpoint_id for r in replays] == ["step1", "step2"]


def test_an_undated_checkpoint_among_dated_ones_stands_a_minute_from_its_neighbour():
    dated = NOW - timedelta(days=2)
    minute = timedelta(minutes=1)
    run_import([make_result(1), make_result(2, created_at=dated), make_result(3), make_result(4)])
    assert [r.created_at - dated for r in list_replays()] == [-minute, 0 * minute, minute, 2 * minute]


def test_checkpoints_of_one_moment_keep_the_order_of_their_numbers():
    run_import([make_result(step, created_at=NOW) for step in range(30)])
    assert [r.run.checkpoint_step for r in list_replays()] == list(range(30))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"candidate": 0.6}, "step1: candidate was 0.5, the files say 0.6"),
        ({"dimensions": (DimensionResult("a", 1.0, None),)}, "step1: its dimensions differ"),
        (
            {"identity": {"metric": "acc", "tasks": {"t": {"version": 2}}}},
            "step1: its task versions, shots or limit differ",
        ),
        ({"decision": "promoted"}, "step1: decision was None, the files say promoted"),
    ],
)
def test_changed_numbers_are_a_conflict_and_not_overwritten(changed, said):
    run_import([make_result(1)])
    before = snapshot()
    plan = run_import([make_result(1, **changed)])
    assert plan.conflicts == (said,)
    assert snapshot() == before


def test_a_gap_is_filled_in_its_place_when_the_files_give_its_number():
    run_import([make_result(1), make_result(2, candidate=None, status="failed", reason="cut file"), make_result(3)])
    before = [(replay.pk, replay.created_at) for replay in list_replays()]
    plan = run_import([make_result(1), make_result(2), make_result(3)])
    assert (len(plan.new), len(plan.filled), plan.unchanged, plan.conflicts) == (0, 1, 2, ())
    after = list_replays()
    assert [(replay.pk, replay.created_at) for replay in after] == before
    assert (after[1].status, after[1].status_reason) == ("done", None)
    assert after[1].candidate_score is not None
    assert run_import([make_result(2)]).unchanged == 1


def test_another_task_version_makes_a_replay_that_is_not_comparable():
    run_import([make_result(1)])
    plan = run_import([make_result(2, identity={"metric": "acc", "tasks": {"t": {"version": 2}}})])
    benchmark = Benchmark.objects.get()
    assert list_replays()[1].items_digest != benchmark.items_digest
    assert any("not comparable" in note and "step2" in note for note in plan.notes)


def test_a_benchmark_takes_only_what_it_is_frozen_to():
    run_import([make_result(1)])
    with pytest.raises(ImportRefused, match="frozen to lm-evaluation-harness, metric acc"):
        run_import([make_result(2)], measure=Measure("lm-evaluation-harness", "ppl", "the value of task t", ""))


def test_a_benchmark_with_a_judge_of_its_own_takes_no_import():
    Benchmark.objects.create(workspace=Workspace.default(), name="b", judge_name="Careful", created_by="ana")
    with pytest.raises(ImportRefused, match="its judge Careful scores pinned conversations"):
        run_import([make_result(1)])


@pytest.mark.parametrize("rule", ["x" * 201, "a\x00"])
def test_a_rule_needs_a_name_that_fits(rule):
    with pytest.raises(ImportRefused, match="at most 200"):
        run_import([make_result(1)], rule=rule)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "\ud800"])
def test_a_benchmark_needs_a_name_that_fits(name):
    with pytest.raises(ImportRefused, match="1 to 200"):
        find_benchmark(Workspace.default(), name)


def test_a_retired_benchmark_keeps_its_trend_and_a_new_one_takes_the_name():
    run_import([make_result(1)])
    old = Benchmark.objects.get()
    Rule.objects.update(benchmark=None)
    Benchmark.objects.update(status="retired")
    plan = run_import([make_result(1)])
    assert plan.unchanged == 0
    assert Benchmark.objects.count() == 2
    assert old.replays.count() == 1
    assert any("keeps its trend" in note for note in plan.notes)


def test_frozen_tasks_are_the_dimensions():
    run_import([make_result(1)], measure=Measure("lm-evaluation-harness", "acc", "mean", "", ("a", "b")))
    assert list_frozen_tasks(Benchmark.objects.get()) == ["a", "b"]
    assert list_frozen_tasks(None) == []


def test_a_named_rule_is_used_as_it_is():
    workspace = Workspace.default()
    rule = Rule.objects.create(workspace=workspace, name="nightly")
    run_import([make_result(1), make_result(1, rule="weekly")], rule="nightly")
    assert sorted(r.run.rule_name for r in list_replays()) == ["nightly", "weekly"]
    rule.refresh_from_db()
    assert (rule.enabled, rule.benchmark) == (True, None)


def test_a_folder_without_models_lends_its_name():
    run_import([make_result(1, candidate_model="", incumbent_model="")])
    (replay,) = list_replays()
    assert (replay.candidate_ref["name"], replay.incumbent_ref["name"]) == ("folder", "")


def test_promoting_each_new_best_decides_every_scored_replay():
    scores = [(0.2, 0.3), (0.4, 0.3), (0.4, 0.3), (None, None), (0.35, 0.3), (0.5, 0.3)]
    run_import([make_result(i, *pair) for i, pair in enumerate(scores)], promote_best=True)
    runs = [r.run for r in list_replays()]
    assert [r.decision for r in runs] == ["rejected", "promoted", "rejected", None, "rejected", "promoted"]
    assert [r.state for r in runs] == ["rejected", "promoted", "rejected", "reported", "rejected", "promoted"]
    assert (runs[1].decided_by, runs[1].decided_at) == ("import", runs[1].created_at)
    assert runs[3].decided_at is None


def test_promoting_goes_on_from_what_was_imported_before():
    run_import([make_result(1, 0.6)])
    plan = run_import([make_result(1, 0.6), make_result(2, 0.55), make_result(3, 0.7)], promote_best=True)
    assert any("keep the decision they have" in note for note in plan.notes)
    assert [r.run.decision for r in list_replays()] == [None, "rejected", "promoted"]


def test_the_lowest_is_best_where_lower_is_better():
    measure = Measure("lm-evaluation-harness", "ppl", "the value of task t", "no bounds, lower is better", (), True)
    run_import(
        [make_result(1, 9.0, 10.0), make_result(2, 9.5, 10.0), make_result(3, 8.0, 10.0)],
        measure=measure,
        promote_best=True,
    )
    assert [r.run.decision for r in list_replays()] == ["promoted", "rejected", "promoted"]
    assert "Lower is better." in Benchmark.objects.get().judge_instructions


def test_a_decision_that_the_files_name_is_kept():
    run_import(
        [make_result(1, 0.5, decision="rolled_back"), make_result(2, 0.6, decision="auto_promoted")], promote_best=True
    )
    assert [r.run.decision for r in list_replays()] == ["rolled_back", "auto_promoted"]
    assert [r.run.state for r in list_replays()] == ["rolled_back", "promoted"]


def test_a_write_that_fails_leaves_nothing_behind(monkeypatch):
    workspace = Workspace.default()
    plan = plan_import(workspace, "b", ResultSet(MEASURE, (make_result(1), make_result(2))), now=NOW)

    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(BenchmarkRun.objects, "bulk_create", fail)
    with pytest.raises(OSError, match="disk full"):
        write_import(workspace, plan, now=NOW)
    assert [len(rows) for rows in snapshot()] == [0, 0, 0, 0]


def test_what_holds_no_score_makes_no_benchmark():
    with pytest.raises(ImportRefused, match="nothing in it makes a score, so no benchmark is made: no incumbent"):
        run_import([make_result(1, None)])
    assert Benchmark.objects.count() == 0


def test_another_baseline_pairs_nothing_anew():
    run_import([make_result(1)])
    before = snapshot()
    plan = run_import([make_result(1, incumbent=0.4, incumbent_model="lab/other")])
    assert (plan.unchanged, plan.conflicts) == (1, ())
    assert "1 of the checkpoints imported before keep the incumbent that they were set against" in plan.notes
    assert snapshot() == before


def test_a_result_without_a_time_is_known_by_what_it_says():
    run_import([make_result(1, content="a")])
    assert run_import([make_result(1, content="a")]).unchanged == 1
    assert len(run_import([make_result(1, 0.6, content="b")]).new) == 1


def test_a_table_without_an_identity_has_a_digest_of_its_own():
    run_import([make_result(1, identity=None)], measure=Measure("table", "score", "as the table gives it", ""))
    benchmark = Benchmark.objects.get()
    assert len(benchmark.items_digest) == 64
    assert benchmark.scoring["require_all_rows"] is None, "a table says nothing of rows"
