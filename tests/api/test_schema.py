"""The OpenAPI document is valid, whole, and open to read."""

from typing import Any

import yaml
from django.core.management import call_command
from django.test import Client


def read_schema() -> Any:
    answer = Client().get("/api/schema/")
    assert answer.status_code == 200
    return yaml.safe_load(answer.content)


def test_it_is_valid_and_without_a_warning(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yaml"))


def test_every_reference_leads_somewhere() -> None:
    schema = read_schema()
    known = {f"#/components/schemas/{name}" for name in schema["components"]["schemas"]}

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if "$ref" in node:
                assert node["$ref"] in known
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(schema)


def test_a_route_documents_its_parameters_its_keys_and_its_refusals() -> None:
    schema = read_schema()
    assert schema["components"]["securitySchemes"]["apiKey"]["name"] == "X-API-Key"
    route = schema["paths"]["/api/loop/benchmarks"]["get"]
    assert [parameter["name"] for parameter in route["parameters"]] == ["limit", "offset", "status"]
    assert route["security"] == [{"apiKey": []}, {"bearer": []}]
    assert set(route["responses"]) == {"200", "400", "401", "403", "404", "405", "500", "503"}
    assert "/api/loop/benchmarks/{benchmark_id}/history" in schema["paths"]


def test_a_write_documents_its_body_and_how_it_may_refuse() -> None:
    route = read_schema()["paths"]["/api/loop/benchmarks"]["post"]
    body = route["requestBody"]["content"]["application/json"]["schema"]
    assert body["required"] == ["name", "judge_id", "source", "per_run_ceiling_cents"]
    assert body["additionalProperties"] is False
    assert set(route["responses"]) > {"201", "400", "409", "413", "415", "422"}
    assert "parameters" not in route
