"""`manage.py import_runloop`: each run once, nothing measured written over, nothing dropped without a word."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from dashboard.signals import wrote
from dashboard.store.models import RunloopBenchmark, RunloopRun, RunloopScenarioRun
from tests.factories import START_MS, make_runloop_benchmark, make_runloop_run, make_workspace

pytestmark = pytest.mark.django_db
RUN = {
    "id": "bmr_1",
    "benchmark_id": "bmd_1",
    "state": "completed",
    "score": 0.8,
    "start_time_ms": START_MS,
    "duration_ms": 60_000,
    "name": "nightly",
    "purpose": None,
    "metadata": {"model": "a"},
}
ENVIRONMENT = {"environment_variables": {"TOKEN": "hunter2"}, "secrets_provided": {"DB": "DATABASE_PASSWORD"}}


class Imported:
    """What one call of the command said, and how it ended."""

    def __init__(self, path: Path, runs: Any, *options: str) -> None:
        path.write_bytes(runs if isinstance(runs, bytes) else json.dumps(runs).encode())
        out, err = io.StringIO(), io.StringIO()
        self.failed = ""
        try:
            call_command("import_runloop", str(path), *options, stdout=out, stderr=err)
        except CommandError as error:
            self.failed = str(error)
        self.out, self.err = out.getvalue(), err.getvalue()


@pytest.fixture
def import_runs(tmp_path: Path) -> Any:
    return lambda runs, *options: Imported(tmp_path / "runs.json", runs, *options)


def stored() -> list[dict[str, Any]]:
    return list(RunloopRun.objects.order_by("id").values())


def test_it_works(import_runs: Any) -> None:
    done = import_runs(
        {"runs": [RUN, RUN | {"id": "bmr_2", "benchmark_id": "bmd_2", "score": None}], "has_more": False}
    )
    assert (done.failed, done.err) == ("", "")
    assert done.out.startswith("imported 2 runs; 0 already there\n")
    assert 'benchmark bmd_1 "bmd_1"; see http://127.0.0.1:8000/runloop/benchmarks/bmd_1/' in done.out
    row = RunloopRun.objects.get(pk="bmr_1")
    assert {key: getattr(row, key) for key in RUN} == RUN
    assert (row.sample, row.workspace_id) == (False, "ws_local")
    assert RunloopRun.objects.get(pk="bmr_2").score is None


def test_the_same_again_changes_nothing(import_runs: Any) -> None:
    runs = [RUN, RUN | {"id": "bmr_2", "state": "canceled", "score": 0.2}, RUN | {"id": "bmr_3", "state": "timeout"}]
    import_runs(runs)
    before = stored()
    again = import_runs(runs)
    assert again.out.startswith("imported 0 runs; 3 already there\n")
    assert (stored(), again.failed) == (before, "")


def test_a_run_that_was_running_is_filled_in(import_runs: Any) -> None:
    import_runs([RUN | {"state": "running", "score": None, "duration_ms": None}])
    done = import_runs([RUN])
    assert "1 filled in, 0 already there" in done.out
    assert [(row["state"], row["score"], row["duration_ms"]) for row in stored()] == [("completed", 0.8, 60_000)]


def test_a_completed_run_without_a_score_gets_the_one_that_came_later(import_runs: Any) -> None:
    import_runs([RUN | {"score": None}])
    assert "1 filled in" in import_runs([RUN]).out
    assert stored()[0]["score"] == 0.8


@pytest.mark.parametrize("older", [{"state": "running", "score": None, "name": "x"}, {"score": None, "name": "x"}])
def test_an_older_answer_takes_nothing_back(import_runs: Any, older: dict[str, Any]) -> None:
    import_runs([RUN])
    before = stored()
    done = import_runs([RUN | older])
    assert (stored(), done.failed) == (before, "")
    assert "1 already there" in done.out


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"score": 0.7}, "completed with 0.8 there and completed with 0.7 here"),
        ({"score": 0.0}, "completed with 0.8 there and completed with 0.0 here"),
        ({"state": "canceled", "score": None}, "completed with 0.8 there and canceled without a score here"),
        ({"start_time_ms": START_MS + 1}, "it started at"),
        ({"benchmark_id": "bmd_2"}, "it belongs to bmd_1 there and to bmd_2 here"),
    ],
    ids=["score", "zero", "state", "start", "benchmark"],
)
def test_what_was_measured_is_not_written_over(import_runs: Any, change: dict[str, Any], why: str) -> None:
    import_runs([RUN])
    before = stored()
    done = import_runs([RUN | {"id": "bmr_0"}, RUN | change])
    assert stored()[1:] == before
    assert "run 2: conflict, left as it was: bmr_1" in done.err
    assert why in done.err
    assert done.failed == "not imported: 0 unreadable or without a benchmark, 1 in conflict"
    assert RunloopRun.objects.filter(pk="bmr_0").exists()


def test_runs_that_are_all_in_conflict_make_no_benchmark(import_runs: Any) -> None:
    import_runs([RUN])
    done = import_runs([RUN | {"benchmark_id": "bmd_2"}])
    assert [row.pk for row in RunloopBenchmark.objects.all()] == ["bmd_1"]
    assert "bmd_2 " not in done.out


@pytest.mark.parametrize("benchmark_id", ["bmd_1", "a%41", "a/b", "a?b#c", "é \u202e", "..."])
def test_the_address_that_is_printed_leads_to_the_benchmark(
    import_runs: Any, admin_client: Any, benchmark_id: str
) -> None:
    done = import_runs([RUN | {"benchmark_id": benchmark_id}])
    (address,) = (line.partition("; see ")[2] for line in done.out.splitlines() if "; see " in line)
    assert admin_client.get(address).context["benchmark"].id == benchmark_id


@pytest.mark.parametrize("benchmark_id", [".", ".."])
def test_a_benchmark_that_no_address_can_name_has_none_printed(
    import_runs: Any, admin_client: Any, benchmark_id: str
) -> None:
    done = import_runs([RUN | {"benchmark_id": benchmark_id}])
    assert f'benchmark {benchmark_id} "{benchmark_id}"; no page can show this id' in done.out
    assert admin_client.get(reverse("run-trend", args=[benchmark_id])).status_code == 404


def test_times_that_are_spelled_as_floats_are_whole_numbers(import_runs: Any) -> None:
    assert import_runs([RUN | {"start_time_ms": float(START_MS), "duration_ms": 6e4}]).failed == ""
    assert [(row["start_time_ms"], row["duration_ms"]) for row in stored()] == [(START_MS, 60_000)]
    assert "start_time_ms: Expected `int`, got `float`" in import_runs([RUN | {"start_time_ms": START_MS + 0.5}]).err


def test_names_and_metadata_follow_the_file(import_runs: Any) -> None:
    import_runs([RUN])
    done = import_runs([RUN | {"metadata": {"model": "a", "checkpoint": "step-100"}, "name": None}])
    assert "1 with other labels, 0 already there" in done.out
    assert (stored()[0]["metadata"], stored()[0]["name"]) == ({"model": "a", "checkpoint": "step-100"}, None)


def test_a_run_that_two_pages_have_is_one_run(import_runs: Any) -> None:
    pages = [{"runs": [RUN | {"state": "running", "score": None}], "has_more": True}, {"runs": [RUN]}]
    done = import_runs("\n".join(json.dumps(page) for page in pages).encode())
    assert done.out.startswith("imported 1 runs; 1 filled in")
    assert [(row["state"], row["score"]) for row in stored()] == [("completed", 0.8)]


def test_a_row_that_cannot_be_read_is_named_and_the_rest_is_imported(import_runs: Any) -> None:
    raw = b"\n".join([json.dumps(RUN).encode(), b'{"id": "bmr_2", "state": NaN}', b"nonsense \x1b[31m"])
    done = import_runs(raw)
    assert "line 2: not read: NaN is no number" in done.err
    assert "line 3: not read: it is not JSON" in done.err
    assert done.failed == "not imported: 2 unreadable or without a benchmark, 0 in conflict"
    assert [row["id"] for row in stored()] == ["bmr_1"]


def test_what_a_file_says_does_not_reach_the_terminal_as_it_is(import_runs: Any) -> None:
    import_runs([RUN | {"id": "\x1b[31m"}])
    done = import_runs([RUN | {"id": "\x1b[31m", "score": 0.1}])
    assert "\x1b" not in done.err
    assert r"\x1b[31m" in done.err


def test_a_run_without_a_benchmark_goes_where_the_option_says_or_is_named(import_runs: Any) -> None:
    loose = {key: value for key, value in RUN.items() if key != "benchmark_id"}
    done = import_runs([loose, RUN | {"id": "bmr_2"}])
    assert "run 1: not imported: bmr_1 names no benchmark; --benchmark ID says where it goes" in done.err
    assert done.failed == "not imported: 1 unreadable or without a benchmark, 0 in conflict"
    done = import_runs([loose, RUN | {"id": "bmr_2"}], "--benchmark", "bmd_loose")
    assert done.failed == ""
    assert {row["id"]: row["benchmark_id"] for row in stored()} == {"bmr_1": "bmd_loose", "bmr_2": "bmd_1"}


def test_the_benchmark_has_the_name_that_was_given(import_runs: Any) -> None:
    import_runs([RUN])
    assert RunloopBenchmark.objects.get().name == "bmd_1"
    done = import_runs([RUN], "--name", "Repairs")
    assert RunloopBenchmark.objects.get().name == "Repairs"
    assert 'benchmark bmd_1: renamed "bmd_1" to "Repairs"' in done.out
    assert "renamed" not in import_runs([RUN], "--name", "Repairs").out
    assert 'would be renamed "Repairs" to "Mends"' in import_runs([RUN], "--name", "Mends", "--dry-run").out
    two = import_runs([RUN, RUN | {"id": "bmr_2", "benchmark_id": "bmd_2"}], "--name", "Other")
    assert "--name is for one benchmark, and these runs belong to 2: bmd_1, bmd_2" in two.failed
    assert RunloopBenchmark.objects.get().name == "Repairs"


@pytest.mark.parametrize("option", ["--name", "--benchmark", "--scenario-runs"])
@pytest.mark.parametrize("text", [" ", "x" * 201, "a\0b"], ids=["empty", "long", "NUL"])
def test_a_name_that_cannot_be_stored_is_refused(import_runs: Any, option: str, text: str) -> None:
    assert import_runs([RUN], option, text).failed == f"{option} has 1 to 200 characters."
    assert stored() == []


def test_a_dry_run_says_what_would_be_done_and_does_not_do_it(import_runs: Any) -> None:
    make_runloop_run(make_runloop_benchmark(id="bmd_1"), id="bmr_1", state="running", name="nightly")
    done = import_runs([RUN, RUN | {"id": "bmr_2"}], "--dry-run", "--name", "Repairs")
    assert done.out.startswith("would import 1 runs; 1 filled in, 0 already there\n")
    assert [(row["id"], row["state"]) for row in stored()] == [("bmr_1", "running")]


def test_environments_are_counted_and_left_out(import_runs: Any) -> None:
    done = import_runs([RUN | ENVIRONMENT, RUN | {"id": "bmr_2"}])
    assert "note: 1 runs carry environment values or secret names, which are left out" in done.out
    assert "hunter2" not in done.out + done.err
    assert not RunloopRun.objects.exclude(environment_variables=None, secrets_provided=None).exists()


def test_environments_are_stored_when_that_is_asked_for_and_stay(import_runs: Any) -> None:
    import_runs([RUN])
    done = import_runs([RUN | ENVIRONMENT], "--keep-environment")
    assert "which are stored" in done.out
    assert "hunter2" not in done.out + done.err
    import_runs([RUN | {"name": "renamed"}])
    row = stored()[0]
    assert {key: row[key] for key in ENVIRONMENT} == ENVIRONMENT


def test_odd_times_and_a_page_that_more_follow_are_noted(import_runs: Any) -> None:
    done = import_runs({"runs": [RUN | {"start_time_ms": START_MS // 1000}], "has_more": True})
    assert "note: 1 runs start before 2015 or after tomorrow; start_time_ms counts milliseconds" in done.out
    assert "note: the last answer says that more rows follow" in done.out
    assert stored()[0]["start_time_ms"] == START_MS // 1000


def test_another_workspace_s_runs_and_benchmarks_are_not_touched(import_runs: Any) -> None:
    other = make_workspace()
    theirs = make_runloop_benchmark(id="bmd_1", workspace=other)
    make_runloop_run(theirs, id="bmr_9")
    assert "the benchmark bmd_1 belongs to another workspace" in import_runs([RUN]).failed
    done = import_runs([RUN | {"id": "bmr_9", "benchmark_id": "bmd_2"}])
    assert "another workspace has a run of this id" in done.err
    assert [row["workspace_id"] for row in stored()] == [other.pk]


def test_a_file_that_cannot_be_read_says_why(import_runs: Any, tmp_path: Path) -> None:
    assert "cannot be read: it is not JSON." in import_runs(b"<html>").failed
    with pytest.raises(CommandError, match="cannot be read: Is a directory"):
        call_command("import_runloop", str(tmp_path))


def test_an_import_that_changed_something_is_told_once(import_runs: Any) -> None:
    told: list[dict[str, Any]] = []

    def listen(**given: Any) -> None:
        told.append(given)

    wrote.connect(listen)
    try:
        import_runs([RUN], "--dry-run")
        import_runs([RUN])
        import_runs([RUN])
        import_runs([RUN | {"id": f"bmr_{n + 1}", "benchmark_id": f"bmd_{n}"} for n in (1, 2, 3)])
        import_runs([RUN], "--name", "Repairs", "--dry-run")
        import_runs([RUN], "--name", "Repairs")
        import_runs([RUN], "--name", "Repairs")
    finally:
        wrote.disconnect(listen)
    assert [(one["action"], one["target_id"], one["target_name"]) for one in told] == [
        ("import", "bmd_1", "bmd_1"),
        ("import", "", "3 benchmarks"),
        ("import", "bmd_1", "Repairs"),
    ]
    nothing = "0 filled in, 0 with other labels, 0 refused, 0 in conflict"
    assert [one["message"] for one in told] == [
        f"1 imported, {nothing}, 1 benchmark made: bmd_1",
        f"3 imported, {nothing}, 2 benchmarks made: bmd_2, bmd_3",
        f'0 imported, {nothing}, benchmark bmd_1 renamed "bmd_1" to "Repairs"',
    ]


RESULT = {
    "score": 0.5,
    "scoring_function_results": [
        {"scoring_function_name": "tests", "score": 0.5, "state": "complete", "output": "1 of 2"}
    ],
}
SCENARIO = {
    "id": "scr_1",
    "benchmark_run_id": "bmr_1",
    "scenario_id": "scn_1",
    "state": "completed",
    "metadata": {},
    "devbox_id": "dbx_1",
    "scoring_contract_result": RESULT,
}


@pytest.fixture
def import_scenarios(import_runs: Any) -> Any:
    """Import scenario runs of bmr_1, which is there."""
    import_runs([RUN])
    return lambda rows, *options: import_runs(rows, "--scenario-runs", "bmr_1", *options)


def scenarios() -> list[tuple[str, str, Any]]:
    rows = RunloopScenarioRun.objects.order_by("ordinal")
    return [(row.id, row.state, (row.scoring_contract_result or {}).get("score")) for row in rows]


def test_scenario_runs_are_stored_in_their_order_and_only_once(import_scenarios: Any) -> None:
    rows = {"runs": [SCENARIO, SCENARIO | {"id": "scr_0", "state": "timeout", "scoring_contract_result": None}]}
    assert import_scenarios(rows).out == "imported 2 scenario runs of bmr_1; 0 already there\n"
    assert import_scenarios(rows).out == "imported 0 scenario runs of bmr_1; 2 already there\n"
    import_scenarios([SCENARIO | {"id": "scr_a"}])
    assert scenarios() == [("scr_1", "completed", 0.5), ("scr_0", "timeout", None), ("scr_a", "completed", 0.5)]
    assert RunloopScenarioRun.objects.get(pk="scr_1").scoring_contract_result == RESULT


def test_a_scenario_run_that_was_running_is_filled_in_and_never_goes_back(import_scenarios: Any) -> None:
    running = SCENARIO | {"state": "running", "scoring_contract_result": None}
    import_scenarios([running])
    assert "1 filled in" in import_scenarios([SCENARIO]).out
    assert "1 already there" in import_scenarios([running]).out
    assert scenarios() == [("scr_1", "completed", 0.5)]


def test_a_scenario_run_that_was_scored_keeps_its_result_when_an_older_answer_comes(import_scenarios: Any) -> None:
    import_scenarios([SCENARIO | {"state": "scored"}])
    for state in ("running", "scoring"):
        assert "1 already there" in import_scenarios([SCENARIO | {"state": state, "scoring_contract_result": None}]).out
    assert scenarios() == [("scr_1", "scored", 0.5)]
    assert "1 filled in" in import_scenarios([SCENARIO]).out


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"scoring_contract_result": RESULT | {"score": 0.6}}, "it is completed there"),
        ({"state": "failed"}, "it is completed there"),
        ({"benchmark_run_id": "bmr_2"}, "it belongs to another run"),
    ],
    ids=["score", "state", "run"],
)
def test_a_scenario_s_result_is_not_written_over(import_scenarios: Any, change: dict[str, Any], why: str) -> None:
    import_scenarios([SCENARIO])
    done = import_scenarios([SCENARIO | change, {"id": 5}])
    assert f"run 1: conflict, left as it was: scr_1: {why}" in done.err
    assert "run 2: not read: " in done.err
    assert done.failed == "not imported: 1 unreadable, 1 in conflict"
    assert scenarios() == [("scr_1", "completed", 0.5)]


def test_scenario_runs_need_their_run_and_name_no_benchmark(import_scenarios: Any, import_runs: Any) -> None:
    assert import_runs([SCENARIO], "--scenario-runs", "bmr_9").failed == "there is no run bmr_9; import it first"
    for option in (["--name", "x"], ["--benchmark", "x"], ["--keep-environment"]):
        assert "are for runs, and --scenario-runs brings none" in import_scenarios([SCENARIO], *option).failed
    import_scenarios([SCENARIO], "--dry-run")
    assert scenarios() == []
