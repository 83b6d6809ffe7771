"""The review says in figures what will be frozen, and where a judge contradicts itself."""

from __future__ import annotations

import pytest

from dashboard.sources.loop.wire import Decoding, Frozen, Judge, JudgeDimension, Scoring
from dashboard.store.models import Benchmark
from dashboard.store.models import Judge as JudgeRow
from dashboard.web.pinning.terms import UNKNOWN, build_terms, list_doubts
from tests.web.pages import fill, text_of
from tests.web.pinning.test_new_benchmark_remote import Remote, open_review

FROZEN = Frozen("judge-xl", Decoding(0.0, 1024, False), Scoring("judge score", "1-5", "mean", True))


def test_it_works() -> None:
    judge = Judge("j", "J", "own", "Score it from 1 to 5.", freezes=FROZEN)
    assert build_terms(judge, judge_model="", max_tokens=None) == (
        "judge-xl",
        "1-5",
        "mean; every conversation must be scored",
        "0",
        "1024 tokens",
    )
    assert build_terms(judge, judge_model="typed", max_tokens=9)[::4] == ("typed", "9 tokens")
    assert list_doubts(judge) == []


def test_what_a_silent_service_will_freeze_is_unknown_and_not_guessed() -> None:
    judge = Judge("j", "J", instructions="Score it from 1 to 5.")
    assert set(build_terms(judge, judge_model="", max_tokens=None)) == {UNKNOWN}
    assert build_terms(judge, judge_model="typed", max_tokens=9)[::4] == ("typed", "9 tokens")
    [doubt] = list_doubts(judge)
    assert doubt.endswith("name the scale 1 to 5; the service does not say which one it freezes.")


def test_what_a_service_says_in_part_is_unknown_in_part() -> None:
    judge = Judge("j", "J", freezes=Frozen("", Decoding(), Scoring()))
    assert build_terms(judge, judge_model="", max_tokens=None) == ("—", UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)


def test_another_scale_is_pointed_out_wherever_the_judge_names_it() -> None:
    judge = Judge(
        "j",
        "J",
        instructions="Score it from 0 to 10.",
        dimensions=(JudgeDimension("tone", "Rate it 1-5."),),
        system_prompt="You score from 1 to 3.",
        freezes=FROZEN,
    )
    assert [doubt.partition(":")[0] for doubt in list_doubts(judge)] == [
        "The judge's instructions name the scale 0 to 10, and 1 to 5 is what is frozen",
        "The judge's system prompt names the scale 1 to 3, and 1 to 5 is what is frozen",
    ]


@pytest.mark.django_db
def test_the_review_shows_the_figures_and_warns_before_freezing(signed_in, ready):
    JudgeRow.objects.update(scale="0 to 10", instructions="Score it from 1 to 5.")
    form = fill(signed_in.get(ready), "review", tick=[f"tr_{n:03d}" for n in range(12)])
    text = text_of(signed_in.post(ready, form, follow=True))
    assert "Scale 0 to 10 Score unweighted mean of all conversations; every conversation must be scored" in text
    assert "Temperature 0 Longest answer 1024 tokens" in text
    assert "The judge's instructions name the scale 1 to 5, and 0 to 10 is what is frozen" in text
    signed_in.post(f"{ready}review/", fill(signed_in.get(f"{ready}review/"), "freeze"))
    assert Benchmark.objects.get().scoring["scale"] == "0 to 10"


@pytest.mark.django_db
def test_the_review_of_a_silent_service_says_unknown(signed_in, connect):
    connect(Remote(None))
    assert text_of(open_review(signed_in)).count(UNKNOWN) == 4


@pytest.mark.django_db
def test_a_judge_without_a_model_wants_one_before_the_review_unless_the_workspace_has_one(signed_in, ready, settings):
    JudgeRow.objects.update(model="")
    form = fill(signed_in.get(ready), "review", tick=[f"tr_{n:03d}" for n in range(12)])
    refused = signed_in.post(ready, form)
    assert refused.status_code == 422
    assert "the workspace has no default: name one here" in text_of(refused)
    settings.DEFAULT_JUDGE_MODEL = "default-judge"
    assert "Judge's model default-judge" in text_of(signed_in.post(ready, form, follow=True))
