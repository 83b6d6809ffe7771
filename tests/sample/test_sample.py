"""The sample workspace: a year with everything in it, the same every time, gone with one command."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Count, F, Q
from django.test import TestCase

from dashboard.contract import FINAL_STATES, MOVING_STATES
from dashboard.sample import make as sample
from dashboard.sample.make import SampleRefused, create_sample, fill_if_empty, remove_sample
from dashboard.sample.story import tell_story
from dashboard.sources.connect import get_loop
from dashboard.sources.loop.points import LOOP, build_points, build_unreplayed, describe_benchmark
from dashboard.store.decide import find_candidate, list_actions
from dashboard.store.digest import digest_items
from dashboard.store.models import (
    Benchmark,
    BenchmarkRun,
    Dataset,
    DatasetItem,
    Evaluation,
    EvaluationItem,
    Judge,
    ReplayRow,
    Rule,
    RunEvent,
    Trace,
    TrainingRun,
    Workspace,
)
from dashboard.store.replays.rows import Scale
from dashboard.trend import Grouping, build_trend, find_missing

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 4, 15, 42, tzinfo=UTC)
FLAGGED = (Benchmark, BenchmarkRun, Dataset, Evaluation, Judge, Rule, Trace, TrainingRun)


@pytest.fixture(autouse=True)
def _own_state_folder(settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path


def run(*arguments: str, **options: Any) -> str:
    out = io.StringIO()
    call_command("sample", *arguments, stdout=out, **options)
    return out.getvalue()


def snapshot() -> list[Any]:
    return [list(model.objects.order_by("id").values()) for model in FLAGGED]


class TestTheYear(TestCase):
    """Facts about one sample workspace, made once for all of them."""

    @classmethod
    def setUpTestData(cls) -> None:
        create_sample(now=NOW)

    def test_it_is_a_teams_year(self):
        assert Rule.objects.count() == 4
        replays = {b.name: b.replays.count() for b in Benchmark.objects.all()}
        assert len(replays) == 5
        assert sorted(replays.values())[0] == 0
        assert all(40 <= count <= 250 for count in replays.values() if count)
        assert Benchmark.objects.filter(status="retired", retired_at__isnull=False).count() == 1
        two_rules = [b for b in Benchmark.objects.all() if b.replays.values("run__rule").distinct().count() == 2]
        assert [b.name for b in two_rules] == ["Support answers"]
        oldest, newest = BenchmarkRun.objects.earliest("created_at"), BenchmarkRun.objects.latest("created_at")
        assert timedelta(days=300) < newest.created_at - oldest.created_at < timedelta(days=366)
        assert not Rule.objects.filter(benchmark__status="retired").exists()

    def test_every_kind_of_gap_and_every_decision_is_there(self):
        assert BenchmarkRun.objects.filter(status="open").count() == 1
        assert BenchmarkRun.objects.latest("created_at").status == "open"
        others = [
            r for r in BenchmarkRun.objects.select_related("benchmark") if r.items_digest != r.benchmark.items_digest
        ]
        assert others
        assert TrainingRun.objects.filter(replay=None).exclude(verdict=None).count() == 1
        decisions = set(TrainingRun.objects.values_list("decision", flat=True))
        assert decisions == {"auto_promoted", "promoted", "rejected", "auto_rejected", "rolled_back", None}

    def test_a_trend_shows_every_kind_of_gap_that_this_service_can_store(self):
        """An unreadable score is none of them: what it stores as a score is a number."""
        loop, kinds, reasons = get_loop(), set(), set()
        for benchmark in loop.list_benchmarks():
            points = build_points(loop.get_history(benchmark.id).points)
            for rule in loop.list_rules():
                points += find_missing(points, build_unreplayed(loop.list_runs(rule_id=rule.id, limit=200)[0]))
            for slot in build_trend(points, describe_benchmark(benchmark), Grouping(every=True), now=NOW).slots:
                if slot.gap:
                    kinds.add(slot.gap.kind)
                    reasons.add(slot.gap.reason)
        assert kinds == {*LOOP.gaps, "paused_by_operator"} - {"unreadable"}
        assert "the service gave no reason" not in reasons

    def test_every_gap_has_its_reason_and_no_score(self):
        done = BenchmarkRun.objects.filter(status="done", candidate_score=None)
        unscored = done.filter(items_digest=F("benchmark__items_digest"))
        assert unscored.count() == 1
        assert all(replay.withheld and replay.status_reason for replay in done.difference(unscored))
        for replay in BenchmarkRun.objects.exclude(status="done") | unscored:
            assert (replay.candidate_score, replay.incumbent_score, replay.score_delta) == (None, None, None)
            assert replay.status_reason or replay.status == "open"
            assert replay.rows_scored < replay.rows_total
        for replay in BenchmarkRun.objects.filter(status="done", candidate_score__isnull=False):
            assert replay.rows_scored == replay.rows_total
            assert replay.score_delta == pytest.approx(replay.candidate_score - replay.incumbent_score)

    def test_the_incumbent_changes_only_after_a_promotion(self):
        for rule in Rule.objects.all():
            serving = None
            for replay in BenchmarkRun.objects.filter(run__rule=rule).order_by("created_at").select_related("run"):
                incumbent = replay.incumbent_ref["model_version"]
                assert serving in (None, incumbent)
                promoted = replay.run.decision in ("promoted", "auto_promoted")
                serving = replay.run.checkpoint_id if promoted else incumbent

    def test_conversations_are_pinned_under_their_own_digest(self):
        for benchmark in Benchmark.objects.all():
            rows = list(benchmark.items.order_by("ordinal").values("prompt", "tools"))
            assert 12 <= len(rows) == benchmark.item_count <= 40
            assert benchmark.items_digest == digest_items(rows)
            assert benchmark.items.filter(source_trace=None).count() == 1
        assert any(m.get("tool_calls") for b in Benchmark.objects.all() for i in b.items.all() for m in i.prompt)

    def test_runs_evaluations_and_timelines_agree(self):
        for run in TrainingRun.objects.exclude(verdict=None).select_related("evaluation"):
            body = run.evaluation.body
            assert body["wins"] + body["losses"] + body["ties"] == body["rows_scored"]
            assert body["verdict"] == run.verdict
            assert run.finished_at is None or run.finished_at <= NOW
            assert (run.decided_by is None) == (run.decision is None and run.state != "cancelled")
        for run in TrainingRun.objects.prefetch_related("timeline"):
            events = sorted(run.timeline.all(), key=lambda event: event.seq)
            assert events[-1].to_state == run.state
            assert [e.ts for e in events] == sorted(e.ts for e in events)
        assert not Evaluation.objects.filter(run__verdict=None).exists()
        counted = Evaluation.objects.annotate(
            rows=Count("items"), won=Count("items", filter=Q(items__winner="candidate"))
        )
        for evaluation in counted:
            assert (evaluation.rows, evaluation.won) == (evaluation.body["rows_scored"], evaluation.body["wins"])
        seqs = list(TrainingRun.objects.order_by("seq").values_list("seq", flat=True))
        assert seqs == list(range(1, len(seqs) + 1))

    def test_a_run_stands_in_every_state_and_its_timeline_is_whole(self):
        states = Counter(TrainingRun.objects.values_list("state", flat=True))
        assert set(states) == {*MOVING_STATES, *FINAL_STATES}
        waiting = TrainingRun.objects.filter(state="awaiting_review", review_deadline_at__gt=NOW)
        assert sorted(waiting.values_list("verdict", flat=True)) == ["better", "inconclusive"]
        assert states["awaiting_review"] == 2
        for run in TrainingRun.objects.prefetch_related("timeline"):
            events = sorted(run.timeline.all(), key=lambda event: event.seq)
            assert [e.seq for e in events] == list(range(1, len(events) + 1))
            assert [e.from_state for e in events] == [None, *(e.to_state for e in events[:-1])]
            assert events[-1].ts == run.state_entered_at
            assert (run.finished_at is None) == (run.state in MOVING_STATES)

    def test_what_a_person_can_do_is_open_where_it_should_be(self):
        waits = TrainingRun.objects.filter(state="awaiting_review").first()
        assert list_actions(waits, NOW, has_candidate=find_candidate(waits) is not None) == {
            "promote": True,
            "reject": True,
            "rollback": False,
            "cancel": True,
        }
        assert not TrainingRun.objects.filter(state="promoted", serving_before=None).exists()
        for rule in Rule.objects.all():
            open_ways = rule.runs.filter(state="promoted", rollback_available_until__gt=NOW)
            assert open_ways.count() <= 1
        rule = waits.rule
        last = rule.runs.filter(state="promoted").latest("decided_at")
        assert rule.serving["model_version"] == last.checkpoint_id

    def test_a_benchmark_has_rows_that_add_up_flip_and_newly_fail(self):
        replays = list(
            BenchmarkRun.objects.exclude(rows=None).distinct().order_by("created_at").prefetch_related("rows")
        )
        assert len(replays) >= 60
        assert {replay.benchmark_id for replay in replays} == {Benchmark.objects.get(name="Support answers").pk}
        passed: dict[int, list[bool]] = defaultdict(list)
        scale = Scale.of(replays[0].benchmark.scoring)
        for replay in replays:
            rows = sorted(replay.rows.all(), key=lambda row: row.ordinal)
            assert len(rows) == replay.rows_total
            assert sum(row.status == "done" for row in rows) == replay.rows_scored
            for row in rows:
                if row.status == "done":
                    passed[row.ordinal].append(bool(scale.find_passed(row.candidate)))
            if replay.candidate_score is not None:
                for side in ("candidate", "incumbent"):
                    mean = sum(getattr(row, side)["score"] for row in rows) / len(rows)
                    assert mean == pytest.approx(getattr(replay, f"{side}_score"), abs=0.001)
        assert [at for at, seen in passed.items() if all(seen[:-10]) and not any(seen[-3:])] == [3, 11]
        flips = [sum(a != b for a, b in pairwise(seen)) for seen in passed.values()]
        assert sum(count >= 5 for count in flips) >= 5

    def test_the_service_marks_it_as_sample_data(self):
        headers = {"benchtrend.workspace": "ws_local"}
        page = self.client.get("/api/loop/benchmarks", **headers).json()
        assert page["total"] == 5
        assert all(b["sample"] for b in page["benchmarks"])
        for benchmark in page["benchmarks"]:
            history = self.client.get(f"/api/loop/benchmarks/{benchmark['id']}/history", **headers)
            assert history.status_code == 200


def test_the_same_moment_gives_the_same_rows():
    create_sample(now=NOW)
    first = snapshot()
    remove_sample()
    create_sample(now=NOW)
    assert snapshot() == first


def test_the_story_does_not_depend_on_the_clock_but_for_its_times():
    one, other = tell_story(NOW), tell_story(NOW + timedelta(days=3, hours=5))
    assert [(r.checkpoint, r.candidate_score, r.decision) for r in one] == [
        (r.checkpoint, r.candidate_score, r.decision) for r in other
    ]


def test_creating_it_twice_changes_nothing():
    create_sample(now=NOW)
    first = snapshot()
    assert not create_sample(now=NOW + timedelta(days=1))
    assert snapshot() == first


def test_everything_is_flagged_and_removal_leaves_nothing():
    create_sample(now=NOW)
    assert not any(model.objects.filter(sample=False).exists() for model in FLAGGED)
    removed, kept = remove_sample()
    assert removed["benchmarks"] == 5
    assert removed["rules"] == 4
    assert kept == []
    assert not any(model.objects.exists() for model in (*FLAGGED, RunEvent, EvaluationItem, DatasetItem, ReplayRow))


def test_what_people_added_stays():
    create_sample(now=NOW)
    workspace = Workspace.default()
    pinned = Benchmark.objects.get(name="Handover to a person")
    mine = Benchmark.objects.create(workspace=workspace, name="Mine", judge=Judge.objects.first())
    rule = Rule.objects.create(workspace=workspace, name="My rule", benchmark=pinned)
    own_run = TrainingRun.objects.create(
        workspace=workspace, seq=10_000, state="reported", rule=Rule.objects.get(name="SQL copilot")
    )
    BenchmarkRun.objects.create(
        workspace=workspace, benchmark=pinned, run=own_run, status="failed", status_reason="no candidate"
    )
    sample_run = TrainingRun.objects.get(replay=None, sample=True, verdict__isnull=False)
    BenchmarkRun.objects.create(
        workspace=workspace, benchmark=mine, run=sample_run, status="failed", status_reason="no candidate"
    )
    dataset = Dataset.objects.create(workspace=workspace, name="My set")
    DatasetItem.objects.create(dataset=dataset, trace=Trace.objects.first(), ordinal=0)
    _, kept = remove_sample()
    rule.refresh_from_db()
    own_run.refresh_from_db()
    assert sorted(Benchmark.objects.values_list("name", flat=True)) == ["Handover to a person", "Mine"]
    # The benchmark became theirs, so their rule stays attached to it.
    assert rule.benchmark == pinned
    assert own_run.rule is None
    assert BenchmarkRun.objects.count() == 2
    assert (Trace.objects.count(), dataset.items.count()) == (1, 1)
    assert len(kept) == 3
    assert not any(model.objects.filter(sample=True).exists() for model in FLAGGED)


def test_a_rule_of_ones_own_is_detached_from_a_sample_benchmark():
    create_sample(now=NOW)
    benchmark = Benchmark.objects.get(name="Support answers")
    rule = Rule.objects.create(workspace=Workspace.default(), name="My rule", benchmark=benchmark)
    assert 'kept rule "My rule": detached from the sample benchmark' in run("remove")
    rule.refresh_from_db()
    assert rule.benchmark is None


def test_a_taken_name_refuses_it_and_leaves_nothing_behind():
    Rule.objects.create(workspace=Workspace.default(), name="SQL copilot")
    with pytest.raises(SampleRefused, match='"SQL copilot" is a name of the sample workspace'):
        create_sample()
    with pytest.raises(CommandError, match="SQL copilot"):
        run("create")
    assert Benchmark.objects.count() == 0


def test_it_goes_beside_other_data_when_it_is_asked_for():
    workspace = Workspace.default()
    TrainingRun.objects.create(workspace=workspace, seq=7, state="reported")
    assert "made" in run("create")
    assert TrainingRun.objects.filter(sample=True).earliest("seq").seq == 8


def test_only_an_empty_database_is_filled():
    Judge.objects.create(workspace=Workspace.default(), name="Mine")
    assert not fill_if_empty()
    assert "nothing made" in run("create", "--if-empty")
    Judge.objects.all().delete()
    assert "made the sample workspace" in run("create", if_empty=True)


def test_once_removed_it_does_not_come_back_by_itself():
    assert fill_if_empty()
    assert run("remove").startswith("removed 560 evaluations, 559 replays")
    assert not fill_if_empty()
    assert run("remove") == "there was no sample data\n"
    assert "made" in run("create")
    assert not Path(sample.settings.DATA_DIR, "sample_removed").exists()
