"""The OpenAPI document is valid, whole, and open to read."""

import re
from typing import Any

import pytest
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
    schema = read_schema()
    route = schema["paths"]["/api/loop/benchmarks"]["post"]
    assert route["requestBody"]["required"] is True
    reference = route["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    body = schema["components"]["schemas"][reference.rpartition("/")[2]]
    assert body["required"] == ["name", "judge_id", "source", "per_run_ceiling_cents"]
    assert body["additionalProperties"] is False
    assert set(route["responses"]) > {"201", "400", "409", "413", "415", "422"}
    assert "parameters" not in route


@pytest.mark.parametrize(
    ("body", "key", "said"),
    [
        ("NewBenchmark", "per_run_ceiling_cents", {"type": "integer", "minimum": 1, "maximum": 10**9}),
        ("NewBenchmark", "max_tokens", {"type": "integer", "minimum": 1, "maximum": 10**6}),
        ("BenchmarkSource", "kind", {"type": "string", "enum": ["traces", "dataset"]}),
        ("BenchmarkSource", "dataset_id", {"type": "string", "minLength": 1, "maxLength": 512}),
        ("Attachment", "benchmark_id", {"type": ["string", "null"], "minLength": 1, "maxLength": 512}),
        ("NewJudge", "dimensions", {"type": "array", "minItems": 1, "maxItems": 20}),
        ("NewJudge", "enabled", {"const": True}),
        ("NewConversations", "attributes", {"type": "object", "maxProperties": 50}),
    ],
)
def test_a_key_of_a_body_is_documented_with_its_bounds(body: str, key: str, said: dict[str, Any]) -> None:
    shape = read_schema()["components"]["schemas"][body]
    found = shape["properties"][key]
    if key not in shape.get("required", []):  # where it may be absent, null is the same
        found, null = found["anyOf"]
        assert null == {"type": "null"}
    assert found.items() >= said.items()


def test_no_text_has_to_be_ascii() -> None:
    pattern = read_schema()["components"]["schemas"]["NewJudge"]["properties"]["name"]["pattern"]
    assert re.search(pattern, "Jürgens Prüfung ☃")
    assert not re.search(pattern, " ")
    assert not re.search(pattern, "a\nb")


def test_a_parameter_is_documented_with_its_type_and_its_default() -> None:
    route = read_schema()["paths"]["/api/loop/traces"]["get"]
    said = {parameter["name"]: parameter["schema"] for parameter in route["parameters"]}
    assert said["from"] == said["to"] == {"type": "string", "format": "date-time"}
    assert said["limit"] == {"type": "integer", "minimum": 1, "default": 50}
    rules = read_schema()["paths"]["/api/loop/training-rules"]["get"]["parameters"]
    assert rules[0]["schema"] == {"type": "boolean"}
