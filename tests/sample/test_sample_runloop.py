"""The sample workspace's agent benchmarks: every state, scores that add up, two models on the same checkpoints."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import TestCase

from dashboard.sample.make import create_sample, fill_if_empty, remove_sample
from dashboard.sample.runloop import make_agent_benchmarks
from dashboard.store.models import RunloopBenchmark, RunloopRun, RunloopScenarioRun, Workspace
from tests.factories import make_runloop_benchmark, make_runloop_run

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_state_folder(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


def snapshot() -> list[Any]:
    models = (RunloopBenchmark, RunloopRun, RunloopScenarioRun)
    return [list(model.objects.order_by("id").values()) for model in models]


class TestTheRuns(TestCase):
    """Facts about them, made once."""

    @classmethod
    def setUpTestData(cls) -> None:
        make_agent_benchmarks(Workspace.default(), NOW)

    def test_there_are_two_benchmarks_of_many_runs_and_eight_scenarios(self) -> None:
        counts = [benchmark.runs.count() for benchmark in RunloopBenchmark.objects.all()]
        assert len(counts) == 2
        assert all(60 <= count <= 120 for count in counts)
        for run in RunloopRun.objects.select_related("benchmark").prefetch_related("scenario_runs"):
            ids = [row.scenario_id for row in run.scenario_runs.all()]
            assert sorted(ids) == sorted(run.benchmark.scenario_ids)
            assert len(ids) == 8

    def test_every_state_is_there_on_each(self) -> None:
        for benchmark in RunloopBenchmark.objects.all():
            kinds = {(run.state, run.score is not None) for run in benchmark.runs.all()}
            assert kinds == {("completed", True), ("completed", False), ("canceled", False), ("running", False)}
        states = set(RunloopScenarioRun.objects.values_list("state", flat=True))
        assert states == {"completed", "failed", "timeout", "canceled", "running", "scoring"}

    def test_a_score_is_the_mean_of_its_scenarios_where_no_result_counts_as_zero(self) -> None:
        without = 0
        for run in RunloopRun.objects.exclude(score=None).prefetch_related("scenario_runs"):
            results = [row.scoring_contract_result for row in run.scenario_runs.all()]
            scores = [result["score"] if result else 0 for result in results]
            assert run.score == pytest.approx(sum(scores) / 8, abs=1e-9)
            assert all(0 <= score <= 1 for score in scores)
            without += None in results
        assert without > 10

    def test_a_scenario_s_result_comes_from_several_scoring_functions(self) -> None:
        result = RunloopScenarioRun.objects.exclude(scoring_contract_result=None).first().scoring_contract_result
        assert len(result["scoring_function_results"]) == 3
        assert {function["state"] for function in result["scoring_function_results"]} == {"complete"}

    def test_models_share_checkpoints_and_some_runs_lack_a_key(self) -> None:
        for benchmark in RunloopBenchmark.objects.all():
            labels: dict[str, set[str]] = {}
            keys: set[str] = set()
            for run in benchmark.runs.all():
                keys |= run.metadata.keys()
                labels.setdefault(run.metadata.get("model", ""), set()).add(run.metadata.get("checkpoint", ""))
            assert keys == {"model", "agent", "branch", "checkpoint"}
            one, other = sorted(labels.values(), key=len)[-2:]
            assert len(one & other) > 20
            assert one != other
            assert {""} in labels.values()

    def test_some_runs_have_an_invented_environment(self) -> None:
        shown = RunloopRun.objects.exclude(environment_variables=None)
        assert 5 < shown.count() < 40
        assert not shown.filter(secrets_provided=None).exists()

    def test_no_run_starts_later_than_now(self) -> None:
        started = RunloopRun.objects.values_list("start_time_ms", flat=True)
        assert max(started) <= NOW.timestamp() * 1000
        assert min(started) > (NOW - timedelta(days=365)).timestamp() * 1000


@pytest.mark.django_db
def test_the_same_moment_gives_the_same_rows() -> None:
    create_sample(now=NOW)
    first = snapshot()
    remove_sample()
    create_sample(now=NOW)
    assert snapshot() == first


@pytest.mark.django_db
def test_they_are_flagged_and_removal_leaves_nothing() -> None:
    create_sample(now=NOW)
    assert not RunloopBenchmark.objects.filter(sample=False).exists()
    removed, kept = remove_sample()
    assert (removed["agent benchmarks"], removed["agent runs"]) == (2, 179)
    assert kept == []
    assert snapshot() == [[], [], []]


@pytest.mark.django_db
def test_a_benchmark_with_runs_of_one_s_own_stays_with_those() -> None:
    create_sample(now=NOW)
    benchmark = RunloopBenchmark.objects.get(name="Shell tasks")
    mine = make_runloop_run(benchmark)
    _, kept = remove_sample()
    assert kept == ['agent benchmark "Shell tasks": it has runs of your own']
    assert list(RunloopRun.objects.all()) == [mine]
    assert list(RunloopBenchmark.objects.values_list("name", "sample")) == [("Shell tasks", False)]


@pytest.mark.django_db
def test_a_database_that_holds_an_agent_benchmark_is_not_empty() -> None:
    make_runloop_benchmark()
    assert not fill_if_empty()
