"""Writing a judge: by the same rules whoever writes it, and with every fault told at once."""

import pytest

from dashboard.store.errors import DomainError, Kind
from dashboard.store.judge import Draft, create_judge
from dashboard.store.models import Judge, Workspace

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
