"""Writing a judge: by the same rules whoever writes it, and with every fault told at once."""

import pytest
from django.utils import timezone

from dashboard.store import pin
from dashboard.store.errors import DomainError, Kind
from dashboard.store.judge import Draft, create_judge
from dashboard.store.models import Judge, Workspace
from tests.factories import make_trace

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    draft = Draft(" Strict ", "Line one.\nLine two. ", [(" helpful ", " Does it? ")], system_prompt="")
    judge = create_judge(Workspace.default(), draft)
    judge.refresh_from_db()
    assert (judge.name, judge.instructions, judge.model) == ("Strict", "Line one.\nLine two. ", "")
    assert (judge.dimensions, judge.system_prompt) == ([{"key": "helpful", "description": " Does it? "}], "")


def test_every_fault_is_told_at_once_and_nothing_is_written() -> None:
    dimensions = [("a", ""), ("a\0", ""), (" a", "x" * 2001), ("b\nc", "")]
    with pytest.raises(DomainError) as raised:
        create_judge(Workspace.default(), Draft(" ", "x", dimensions, model="m" * 201, system_prompt="\ud800"))
    assert (raised.value.kind, raised.value.code, raised.value.field) == (Kind.INVALID, "INVALID_FIELD", "name")
    assert [fault.message for fault in raised.value.faults] == [
        "name must not be empty.",
        "dimensions[1].key holds a NUL or half of a surrogate pair, which cannot be stored.",
        "dimensions[2].description must have at most 2000 characters.",
        "dimensions[2].key repeats 'a'.",
        "dimensions[3].key must be on one line.",
        "model must have at most 200 characters.",
        "system_prompt holds a NUL or half of a surrogate pair, which cannot be stored.",
    ]
    assert not Judge.objects.exists()


@pytest.mark.parametrize("count", [0, 21])
def test_a_judge_scores_1_to_20_dimensions(count: int) -> None:
    with pytest.raises(DomainError, match="dimensions must hold 1 to 20 entries"):
        create_judge(Workspace.default(), Draft("A", "x", [(f"key{n}", "") for n in range(count)]))


def test_a_judge_carries_its_scale_and_a_benchmark_freezes_it():
    workspace = Workspace.default()
    drafts = [Draft("A", "x", [("a", "")], "m", scale=scale) for scale in (None, "1-5", "0 to 100, lower is better")]
    judges = [create_judge(workspace, draft) for draft in drafts]
    assert [judge.scale for judge in judges] == ["0-1", "1-5", "0 to 100, lower is better"]
    traces = [make_trace(f"Question {n}?").pk for n in range(10)]
    draft = pin.Draft("Set", judges[1].pk, 100, trace_ids=traces)
    benchmark = pin.create_benchmark(workspace.pk, draft, "ann", timezone.now())
    assert benchmark.scoring["scale"] == "1-5"


@pytest.mark.parametrize("scale", ["", "five", "5-1", "1 to 1", "1-5\n2", "x" * 99 + "1-5"])
def test_a_scale_without_two_rising_bounds_is_refused(scale):
    draft = Draft("A", "x", [("a", "")], scale=scale)
    with pytest.raises(DomainError) as refused:
        create_judge(Workspace.default(), draft)
    assert {fault.field for fault in refused.value.faults} == {"scale"}


def test_the_model_is_the_bodys_else_the_judges_else_the_workspaces(settings):
    settings.DEFAULT_JUDGE_MODEL = "default-judge"
    workspace = Workspace.default()
    named, nameless = (create_judge(workspace, Draft("A", "x", [("a", "")], model)) for model in ("own", None))
    traces = [make_trace(f"Question {n}?").pk for n in range(10)]
    made = [
        pin.create_benchmark(
            workspace.pk,
            pin.Draft(f"Set {n}", judge.pk, 100, trace_ids=traces, judge_model=model),
            "ann",
            timezone.now(),
        ).judge_model
        for n, (judge, model) in enumerate([(named, "body"), (named, None), (nameless, None)])
    ]
    assert made == ["body", "own", "default-judge"]
    settings.DEFAULT_JUDGE_MODEL = ""
    with pytest.raises(DomainError, match="no default"):
        pin.create_benchmark(
            workspace.pk, pin.Draft("Set 9", nameless.pk, 100, trace_ids=traces), "ann", timezone.now()
        )
