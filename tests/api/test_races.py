"""Two processes on one database, SQLite's file or Postgres, write at the same moment: the database settles it."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection

from dashboard.store.models import Benchmark, BenchmarkItem, Rule, Trace
from tests.factories import make_benchmark, make_judge, make_rule, make_trace

pytestmark = pytest.mark.django_db(transaction=True)
PAIRS = int(os.environ.get("RACE_PAIRS", "15"))
READY_WITHIN_S = 0.02
"""How long both racers may take to read their call before the moment that both begin at."""
BENCHMARKS, RULES = "/api/loop/benchmarks", "/api/loop/training-rules"

Call = tuple[str, str, Any]
"""(method, path, body)."""
Race = Callable[[Call, Call], tuple[Any, Any]]


def name_database() -> str:
    """The tests' database as a URL for another process."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    password = f":{quote(values['PASSWORD'], safe='')}" if values["PASSWORD"] else ""
    host = f"{values['HOST'] or 'localhost'}:{values['PORT'] or 5432}"
    return f"postgres://{quote(values['USER'], safe='')}{password}@{host}/{values['NAME']}"


@pytest.fixture(scope="module")
def racers(django_db_setup: Any) -> Iterator[list[subprocess.Popen[str]]]:
    """Two processes, ready to call."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.api.racer"]
    environment = os.environ | {"DATABASE_URL": name_database(), "LOG_LEVEL": "CRITICAL"}
    root = Path(__file__).resolve().parents[2]
    started = [
        subprocess.Popen(
            command, cwd=root, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1
        )
        for _ in range(2)
    ]
    for racer in started:
        assert racer.stdout
        assert racer.stdout.readline() == "ready\n"
    yield started
    for racer in started:
        racer.communicate(timeout=60)


@pytest.fixture
def race(racers: list[subprocess.Popen[str]], request: pytest.FixtureRequest) -> Iterator[Race]:
    """race(call, call) -> both outcomes. Says in the end how often the two were under way together, and how it went."""
    outcomes: Counter[str] = Counter()
    together = 0

    def run(*calls: Call) -> Any:
        nonlocal together
        at = time.time() + READY_WITHIN_S
        for racer, (method, path, body) in zip(racers, calls, strict=True):
            assert racer.stdin
            racer.stdin.write(json.dumps({"method": method, "path": path, "body": body, "at": at}) + "\n")
        answers = []
        for racer in racers:
            assert racer.stdout
            answers.append(json.loads(racer.stdout.readline()))
        first, second = answers
        together += first["started"] < second["ended"] and second["started"] < first["ended"]
        outcomes[" / ".join(f"{answer['status']} {answer['code'] or ''}".strip() for answer in answers)] += 1
        return answers

    yield run
    print(
        f"\n{request.node.name} on {connection.vendor}: {outcomes.total()} pairs, {together} at once: {dict(outcomes)}"
    )
    assert together


def test_two_creates_of_one_name_make_one_benchmark(race: Race) -> None:
    judge = make_judge()
    source = {"kind": "traces", "trace_ids": [make_trace(f"Question {n}").pk for n in range(10)]}
    for n in range(PAIRS):
        body = {"name": f"Set {n}", "judge_id": judge.pk, "source": source, "per_run_ceiling_cents": 100}
        answers = race(*[("post", BENCHMARKS, body)] * 2)
        assert sorted((answer["status"], answer["code"]) for answer in answers) == [
            (201, None),
            (409, "BENCHMARK_NAME_TAKEN"),
        ]
        assert Benchmark.objects.get(name=f"Set {n}").items.count() == 10
    assert BenchmarkItem.objects.count() == 10 * PAIRS


def test_a_retire_against_an_attach_leaves_no_rule_on_a_retired_benchmark(race: Race) -> None:
    for n in range(PAIRS):
        benchmark, rule = make_benchmark(f"Set {n}"), make_rule(f"Rule {n}")
        retired, attached = race(
            ("post", f"{BENCHMARKS}/{benchmark.pk}/retire", {}),
            ("put", f"{RULES}/{rule.pk}/benchmark", {"benchmark_id": benchmark.pk}),
        )
        assert retired["status"] == 200
        assert (attached["status"], attached["code"]) in ((200, None), (409, "BENCHMARK_RETIRED"))
        rule.refresh_from_db()
        assert rule.benchmark_id is None


def test_two_attaches_leave_the_rule_on_one_of_the_two(race: Race) -> None:
    rule = make_rule()
    benchmarks = [make_benchmark(f"Set {n}").pk for n in range(2)]
    for _ in range(PAIRS):
        answers = race(*[("put", f"{RULES}/{rule.pk}/benchmark", {"benchmark_id": pk}) for pk in benchmarks])
        assert [answer["status"] for answer in answers] == [200, 200]
        assert [answer["body"]["rule"]["benchmark_id"] for answer in answers] == benchmarks
        rule.refresh_from_db()
        assert rule.benchmark_id in benchmarks


def test_an_attach_against_the_retire_of_what_the_rule_had_keeps_the_new_one(race: Race) -> None:
    new = make_benchmark("New")
    for n in range(PAIRS):
        old = make_benchmark(f"Set {n}")
        rule = make_rule(f"Rule {n}", benchmark=old)
        answers = race(
            ("post", f"{BENCHMARKS}/{old.pk}/retire", {}),
            ("put", f"{RULES}/{rule.pk}/benchmark", {"benchmark_id": new.pk}),
        )
        assert [answer["status"] for answer in answers] == [200, 200]
        assert Rule.objects.get(pk=rule.pk).benchmark_id == new.pk


def test_a_create_against_the_deletion_of_a_source_has_all_of_it_or_nothing(race: Race) -> None:
    judge = make_judge()
    for n in range(PAIRS):
        ids = [make_trace(f"Question {n}").pk for n in range(10)]
        source = {"kind": "traces", "trace_ids": ids}
        body = {"name": f"Set {n}", "judge_id": judge.pk, "source": source, "per_run_ceiling_cents": 100}
        created, deleted = race(("post", BENCHMARKS, body), ("delete", f"/api/loop/traces/{ids[5]}", None))
        assert deleted["status"] == 200
        assert (created["status"], created["code"]) in ((201, None), (422, "BENCHMARK_ROW_UNUSABLE"))
        items = BenchmarkItem.objects.filter(benchmark__name=f"Set {n}")
        assert items.count() == (10 if created["status"] == 201 else 0)
        assert not items.filter(source_trace=ids[5]).exists()


def test_two_imports_of_the_same_rows_keep_each_once(race: Race) -> None:
    for n in range(PAIRS):
        body = {"source": f"export {n}", "import_id": "once", "rows": [{"prompt": f"Question {i}"} for i in range(20)]}
        answers = race(*[("post", "/api/loop/import", body)] * 2)
        assert [answer["status"] for answer in answers] == [200, 200]
        assert sum(answer["body"]["imported"] for answer in answers) == 20
        assert sum(answer["body"]["already_present"] for answer in answers) == 20
    assert Trace.objects.count() == 20 * PAIRS


def test_two_retires_answer_the_same_and_one_counts(race: Race) -> None:
    for n in range(PAIRS):
        benchmark = make_benchmark(f"Set {n}")
        make_rule(f"Rule {n}", benchmark=benchmark)
        url = f"{BENCHMARKS}/{benchmark.pk}/retire"
        first, second = race(("post", url, {"reason": "First."}), ("post", url, {"reason": "Second."}))
        assert first["status"] == 200
        assert first["body"] == second["body"]
    assert not Rule.objects.exclude(benchmark=None).exists()
