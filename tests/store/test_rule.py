"""Making a training rule: its name is its own in its workspace."""

import pytest

from dashboard.store.errors import DomainError, Kind
from dashboard.store.models import Rule, Workspace
from dashboard.store.rule import Draft, create_rule
from tests.factories import make_workspace

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    rule = create_rule(Workspace.default(), Draft(" Nightly ", "support", model="base-7b", deployment="dep_1"))
    assert (rule.name, rule.model_id, rule.benchmark_id) == ("Nightly", "base-7b", None)
    assert rule.serving == {"kind": "deployment", "name": "support", "deployment_id": "dep_1"}


def test_a_name_that_is_taken_is_refused_and_another_workspace_may_have_it() -> None:
    create_rule(Workspace.default(), Draft("Nightly", "support"))
    with pytest.raises(DomainError, match="There is a rule named 'Nightly' already") as raised:
        create_rule(Workspace.default(), Draft("Nightly", "other"))
    assert (raised.value.kind, raised.value.code, raised.value.field) == (Kind.CONFLICT, "RULE_NAME_TAKEN", "name")
    create_rule(make_workspace(), Draft("Nightly", "support"))
    assert Rule.objects.count() == 2


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(DomainError) as raised:
        create_rule(Workspace.default(), Draft("", "a\nb", model=" ", deployment="x" * 201))
    assert [fault.field for fault in raised.value.faults] == ["name", "serving", "model", "deployment"]
