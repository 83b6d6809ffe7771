"""The OpenAPI document keeps its word: whatever is sent, no answer is a 500 and none is undocumented.

schemathesis makes the requests from the document, good and bad ones, and judges the answers by it.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
import yaml
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks

from dashboard.store.models import BenchmarkItem
from dashboard.wsgi import application
from tests.factories import (
    make_benchmark,
    make_dataset,
    make_evaluation,
    make_judge,
    make_key,
    make_replay,
    make_rows,
    make_rule,
    make_run,
    make_runloop_benchmark,
    make_runloop_run,
    make_scenario_run,
    make_trace,
)

JUDGES = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
)
IMPATIENT = list(HealthCheck)


@pytest.fixture(autouse=True)
def _one_connection(document: Any) -> Iterator[None]:
    """The end of a request would close the connection that holds this test's transaction.

    After `document`, whose own request switches that on again.
    """
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def document(db: Any) -> Any:
    return schemathesis.openapi.from_dict(yaml.safe_load(Client().get("/api/schema/").content))


@pytest.fixture
def known(db: Any) -> dict[str, str]:
    """An id that exists, for each parameter of a path."""
    trace = make_trace()
    benchmark, rule, run = make_benchmark(items=12), make_rule(), make_run()
    BenchmarkItem.objects.filter(ordinal=0).update(source_trace=trace)
    make_dataset(traces=[trace])
    make_judge()
    agents = make_runloop_benchmark()
    agent_run = make_runloop_run(agents, environment_variables={"MODE": "x"})
    make_scenario_run(agent_run)
    replay = make_replay(benchmark, run=run)
    make_rows(replay, (0.9, 0.4), (None, 0.5))
    return {
        "benchmark_id": benchmark.pk,
        "benchmark_run_id": replay.pk,
        "rule_id": rule.pk,
        "run_id": run.pk,
        "evaluation_id": make_evaluation(run, ["candidate"]).pk,
        "trace_id": trace.pk,
        "runloop_benchmark_id": agents.pk,
        "runloop_run_id": agent_run.pk,
    }


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_answer_is_a_failure_or_undocumented(document: Any, known: dict[str, str], mode: GenerationMode) -> None:
    headers = {"X-API-Key": make_key("loop:read", "loop:write"), "Accept-Encoding": "identity"}
    checked = 0
    seen: set[int] = set()
    for result in document.get_all_operations():
        operation = result.ok()

        @settings(max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=IMPATIENT)
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case: Any) -> None:
            case.headers = None
            given_ids, known_ids = case.path_parameters, {name: known[name] for name in case.path_parameters or ()}
            for ids in (given_ids, known_ids) if given_ids else (given_ids,):
                case.path_parameters = ids
                answer = case.call(app=application, base_url="http://localhost", headers=headers)
                case.validate_response(answer, checks=JUDGES)
                seen.add(answer.status_code)

        try:
            check()
            checked += 1
        except Unsatisfiable:  # nothing about this operation can be wrong
            assert mode is GenerationMode.NEGATIVE
    assert checked >= 25
    assert seen >= ({200, 201, 404} if mode is GenerationMode.POSITIVE else {200, 400, 404})


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "A", "tools": tools}
        for tools in ("[NaN]", "[1e999]", '["\\ud800"]', '["\\u0000"]', "[" * 400 + "]" * 400, "[" * 100_000)
    ]
    + [
        {"conversations": [{"from": "function_call", "value": value}]}
        for value in (
            '{"name": "\\ud800"}',
            '{"name": "\\u0000"}',
            '{"name": "f", "arguments": [NaN]}',
            '{"name": "f", "arguments": "\\ud800"}',
        )
    ],
)
def test_json_text_inside_a_row_breaks_no_import(document: Any, row: dict[str, Any]) -> None:
    case = document["/api/loop/import"]["POST"].Case(body={"source": "s", "rows": [row, {"prompt": "B"}]})
    headers = {"X-API-Key": make_key("loop:write"), "Accept-Encoding": "identity"}
    answer = case.call(app=application, base_url="http://localhost", headers=headers)
    case.validate_response(answer, checks=JUDGES)
    body = answer.json()
    assert (answer.status_code, body["imported"] + body["refused"]) == (200, 2)


def test_the_document_says_what_a_row_to_import_looks_like(document: Any) -> None:
    body = document.raw_schema["components"]["schemas"]["NewConversations"]
    shapes = body["properties"]["rows"]["items"]["anyOf"]
    assert {key for shape in shapes for key in shape["required"]} >= {"messages", "conversations", "turns", "prompt"}
