"""Making a benchmark in the browser: the form, picking, the review, and what a refusal leaves."""

from __future__ import annotations

import pytest

from dashboard.store.models import Benchmark, BenchmarkItem, Judge, Trace
from dashboard.web.models import AuditEntry, Draft
from tests.factories import START, make_benchmark, make_dataset, make_judge, make_rule, make_trace
from tests.web.conftest import make_person, make_traces, open_form
from tests.web.pages import fill, text_of

pytestmark = pytest.mark.django_db


def test_it_works(signed_in):
    ids = make_traces(12)
    make_judge(system_prompt="Be strict.")
    page, url = open_form(signed_in)
    assert "0 of 10–200" in text_of(page)
    page = signed_in.post(
        url,
        fill(page, "review", name=" Support answers ", judge=Judge.objects.get().pk, cap="$4.50", tick=ids[:11]),
        follow=True,
    )
    text = text_of(page)
    assert page.request["PATH_INFO"] == f"{url}review/"
    for said in (
        "Name Support answers",
        "Judge Helpfulness",
        "Judge's model judge-large",
        "Conversations 11",
        "Cap for one replay $4.50",
        "Score how far the answer helps.",
        "Be strict.",
        "helpful Does it help?",
        "It cannot be edited, by anybody.",
        "It raises no amount that was agreed to",
        "Question 11 tr_011",
    ):
        assert said in text
    done = signed_in.post(f"{url}review/", fill(page, "freeze"), follow=True)
    benchmark = Benchmark.objects.get()
    assert done.request["PATH_INFO"] == f"/benchmarks/{benchmark.pk}/"
    text = text_of(done)
    assert "“Support answers” is pinned: 11 conversations, with the judge Helpfulness." in text
    assert "Its first point will come with the next run of a rule it is attached to." in text
    assert "No rule replays it yet. Attach it to a rule" in text
    assert (benchmark.created_by, benchmark.per_run_ceiling_cents) == ("admin", 450)
    assert list(BenchmarkItem.objects.order_by("ordinal").values_list("source_trace_id", flat=True)) == ids[:11]
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.outcome, entry.target_id) == ("create", "done", benchmark.pk)
    assert entry.message == "11 conversations, judge Helpfulness, at most $4.50 a replay"


def test_opening_the_form_writes_nothing(signed_in):
    open_form(signed_in)
    assert Draft.objects.count() == 0


def test_an_empty_form_names_every_fault_at_its_field_and_puts_the_cursor_on_the_first(signed_in):
    make_judge()
    page, url = open_form(signed_in)
    page = signed_in.post(url, fill(page, "review"))
    assert page.status_code == 422
    text = text_of(page)
    for said in (
        "Name : Give it a name.",
        "Judge : Choose a judge.",
        "Conversations : A benchmark pins 10 to 200 conversations; 0 are picked.",
        "Cap for one replay : Say what one replay may cost at most.",
    ):
        assert said in text
    assert page.content.count(b"autofocus") >= 1
    name = page.content.partition(b'name="name"')[2].partition(b">")[0]
    assert b"autofocus" in name
    assert b'aria-invalid="true"' in name


def test_what_is_typed_and_picked_stays_over_search_pages_and_leaving(signed_in):
    make_traces(60)
    page, url = open_form(signed_in)
    assert "1–25 of 60" in text_of(page)
    page = signed_in.post(url, fill(page, "page:2", name="Mine", cap="4.005", tick=["tr_059"]), follow=True)
    assert "26–50 of 60" in text_of(page)
    page = signed_in.post(url, fill(page, "find", q="question 7", tick=["tr_030", "tr_029"]), follow=True)
    assert "1–1 of 1" in text_of(page)
    page = signed_in.post(url, fill(page, "show:picked", tick="tr_007"), follow=True)
    assert "4 of 10–200" in text_of(page)
    assert "1–4 of 4 picked, in the order in which they are pinned" in text_of(page)
    assert [row.id for row in page.context["page"].rows] == ["tr_059", "tr_030", "tr_029", "tr_007"]
    signed_in.post(url, fill(page, "look", tick=["tr_059", "tr_007"]))
    page = signed_in.get(url)
    assert "2 of 10–200" in text_of(page)
    assert b'value="Mine"' in page.content
    assert b'value="4.005"' in page.content


def test_in_place_only_the_list_comes_back(signed_in):
    make_traces(30)
    page, url = open_form(signed_in)
    part = signed_in.post(url, fill(page, "page:2", tick=["tr_029"]), headers={"HX-Request": "true"})
    assert part.status_code == 200
    assert b"<html" not in part.content
    assert "1 of 10–200" in text_of(part)
    assert "26–30 of 30" in text_of(part)


def test_a_page_past_the_end_is_the_last_one(signed_in):
    make_traces(30)
    _page, url = open_form(signed_in)
    assert "26–30 of 30" in text_of(signed_in.get(f"{url}?page=9"))


def test_filters_are_of_source_and_model(signed_in):
    make_trace("One", source="web", model="a")
    make_trace("Two", source="mail", model="b")
    _page, url = open_form(signed_in)
    assert "1–1 of 1" in text_of(signed_in.get(f"{url}?filed=web"))
    assert "None fits this search." in text_of(signed_in.get(f"{url}?filed=web&model=b"))


def test_all_that_match_are_picked_until_a_benchmark_is_full(signed_in):
    make_traces(230)
    page, url = open_form(signed_in)
    assert "Pick the newest 200 of 230 that match" in text_of(page)
    page = signed_in.post(url, fill(page, "all", q="question 1", tick=["tr_229"]), follow=True)
    assert "112 of 10–200" in text_of(page), "111 have a number that begins with 1, and one was picked before"
    page = signed_in.post(url, fill(page, "all", q=""), follow=True)
    assert "88 picked." in text_of(page)
    assert "200 of 10–200" in text_of(page)
    assert "that match" not in text_of(page)
    page = signed_in.post(url, fill(page, "clear"), follow=True)
    assert "0 of 10–200" in text_of(page)


def test_pasted_ids_are_picked_and_each_odd_one_is_named(signed_in):
    make_traces(3)
    silent = make_trace(id="tr_silent", messages=[{"role": "user", "content": " "}]).pk
    page, url = open_form(signed_in)
    pasted = f'["tr_000", "tr_001"],\ntr_001 tr_none;{silent}\ntr_002'
    page = signed_in.post(url, fill(page, "paste", paste=pasted, tick=["tr_002"]), follow=True)
    text = text_of(page)
    assert "4 added. 1 had been picked before. Named more than once and kept once: tr_001." in text
    assert "tr_none (there is no such conversation in this workspace)" in text
    assert "tr_silent (it has no user turn with content)" in text
    assert "5 of 10–200 2 cannot be pinned" in text
    page = signed_in.get(f"{url}?show=picked")
    assert "Cannot be pinned: it has no user turn with content." in text_of(page)
    page = signed_in.post(url, fill(page, "drop"), follow=True)
    assert "2 left out." in text_of(page)
    assert "3 of 10–200" in text_of(page)


def test_repeated_conversations_are_marked_before_anything_is_sent(signed_in):
    make_trace("The same", id="tr_a")
    make_trace("The same", id="tr_b", created_at=START.replace(year=2025))
    page, url = open_form(signed_in)
    page = signed_in.post(url, fill(page, "look", tick=["tr_a", "tr_b"]), follow=True)
    assert "1 repeat another" in text_of(page)
    assert "The same conversation as tr_a, which is picked too." in text_of(page)


def test_an_unusable_conversation_keeps_the_review_shut(signed_in, ready):
    make_trace(id="tr_silent", messages=[])
    page = signed_in.get(ready)
    page = signed_in.post(ready, fill(page, "review", tick=[f"tr_{n:03d}" for n in range(11)] + ["tr_silent"]))
    assert page.status_code == 422
    assert "1 of the picked cannot be pinned. tr_silent: it has no user turn with content." in text_of(page)


def test_what_was_deleted_since_is_seen_in_the_review_and_refused_by_the_service(signed_in, ready):
    form = fill(signed_in.get(ready), "review", tick=[f"tr_{n:03d}" for n in range(12)])
    review = signed_in.post(ready, form, follow=True)
    Trace.objects.filter(pk="tr_003").delete()
    page = signed_in.post(f"{ready}review/", fill(review, "freeze"))
    assert page.status_code == 422
    text = text_of(page)
    assert "1 of the conversations cannot be pinned, so none was. tr_003: there is no such conversation" in text
    assert b'value="Support answers"' in page.content
    assert "12 of 10–200 1 cannot be pinned" in text
    assert Benchmark.objects.count() == 0
    entry = AuditEntry.objects.get()
    assert (entry.outcome, entry.code) == ("refused", "BENCHMARK_ROW_UNUSABLE")
    again = signed_in.get(f"{ready}review/")
    assert again.status_code == 422, "the review stays shut until it is left out"


def test_a_taken_name_is_told_at_the_name_before_the_review_with_everything_still_there(signed_in, ready):
    make_benchmark("Support answers")
    form = fill(signed_in.get(ready), "review", tick=[f"tr_{n:03d}" for n in range(12)])
    page = signed_in.post(ready, form)
    assert page.status_code == 422
    assert "Name : An active benchmark has this name." in text_of(page)
    assert b"autofocus" in page.content.partition(b'name="name"')[2].partition(b">")[0]
    assert "12 of 10–200" in text_of(page)
    review = signed_in.post(ready, fill(page, "review", name="Another"), follow=True)
    signed_in.post(f"{ready}review/", fill(review, "freeze"))
    assert Benchmark.objects.filter(name="Another").count() == 1


def test_the_second_press_leads_to_what_the_first_made(signed_in, ready):
    review = signed_in.post(
        ready, fill(signed_in.get(ready), "review", tick=[f"tr_{n:03d}" for n in range(12)]), follow=True
    )
    form = fill(review, "freeze")
    first = signed_in.post(f"{ready}review/", form)
    second = signed_in.post(f"{ready}review/", form)
    assert first["Location"] == second["Location"] == f"/benchmarks/{Benchmark.objects.get().pk}/"
    assert signed_in.get(ready, follow=True).request["PATH_INFO"] == first["Location"], "Back leads there too"
    assert AuditEntry.objects.count() == 1


def test_a_judge_that_changed_after_the_review_opened_is_shown_again(signed_in, ready):
    review = signed_in.post(
        ready, fill(signed_in.get(ready), "review", tick=[f"tr_{n:03d}" for n in range(12)]), follow=True
    )
    Judge.objects.update(instructions="Something else.")
    page = signed_in.post(f"{ready}review/", fill(review, "freeze"))
    assert page.status_code == 409
    assert "changed after this page was opened. Look at it again." in text_of(page)
    assert "Something else." in text_of(page)
    assert Benchmark.objects.count() == 0
    signed_in.post(f"{ready}review/", fill(page, "freeze"))
    assert Benchmark.objects.get().judge_instructions == "Something else."


@pytest.mark.parametrize("draft_id", ["a%00b", "a" * 41, "a b", "a.b"])
@pytest.mark.parametrize("place", ["/benchmarks/new/{}/", "/benchmarks/new/{}/review/", "/judges/new/{}/"])
def test_an_address_that_no_form_has_leads_nowhere(signed_in, place, draft_id):
    assert signed_in.get(place.format(draft_id), follow=True).status_code == 404
    assert signed_in.post(place.format(draft_id), {"go": "keep"}).status_code in {404, 405}
    assert Draft.objects.count() == 0


def test_what_is_typed_is_never_cut(signed_in):
    page, url = open_form(signed_in)
    signed_in.post(url, fill(page, "look", name="n" * 70_000))
    page = signed_in.post(url, fill(signed_in.get(url), "review"))
    assert page.status_code == 422
    assert f'value="{"n" * 70_000}"' in page.content.decode()
    assert "at most 200 characters (it has 70000)" in text_of(page)


def test_a_dataset_is_pinned_by_its_split(signed_in, ready):
    dataset = make_dataset("Reviewed", list(Trace.objects.all()))
    page = signed_in.get(ready)
    assert "Reviewed (sft, 12 conversations)" in text_of(page)
    refused = signed_in.post(ready, fill(page, "review", source="dataset"))
    assert "Dataset : Choose a dataset." in text_of(refused)
    form = fill(page, "review", source="dataset", dataset=dataset.pk, split="train", max_tokens="300")
    review = signed_in.post(ready, form, follow=True)
    assert "Reviewed , split train" in text_of(review)
    assert "300 tokens" in text_of(review)
    signed_in.post(f"{ready}review/", fill(review, "freeze"))
    made = Benchmark.objects.get()
    assert (made.item_count, made.decoding["max_tokens"]) == (12, 300)


def test_a_split_without_enough_is_refused_at_the_split(signed_in, ready):
    dataset = make_dataset("Reviewed", list(Trace.objects.all()))
    form = fill(signed_in.get(ready), "review", source="dataset", dataset=dataset.pk, split="nothing")
    review = signed_in.post(ready, form, follow=True)
    page = signed_in.post(f"{ready}review/", fill(review, "freeze"))
    assert page.status_code == 422
    assert "Split : A benchmark pins 10 to 200 conversations; 0 conversations are in it." in text_of(page)


def test_nothing_to_pick_from_names_the_command_and_no_judge_the_way_to_one(signed_in):
    page, _url = open_form(signed_in)
    text = text_of(page)
    assert "python manage.py import_conversations FILE --source NAME" in text
    assert "There is no judge yet. Write the first one" in text


def test_another_s_draft_is_not_there(signed_in, client, ready):
    client.logout()
    client.force_login(make_person("mia", "member"))
    assert client.get(ready).status_code == 404
    assert client.get(f"{ready}review/").status_code == 404


def test_a_review_without_a_form_leads_to_the_form(signed_in):
    assert signed_in.get("/benchmarks/new/abc/review/")["Location"] == "/benchmarks/new/abc/"


def test_a_viewer_finds_no_button_and_no_open_door(client):
    client.force_login(make_person("vera", "viewer"))
    assert b"/benchmarks/new/" not in client.get("/").content
    for address in ("/benchmarks/new/", "/benchmarks/new/abc/", "/benchmarks/new/abc/review/", "/judges/new/"):
        assert client.get(address).status_code == 403
    for headers in ({}, {"HX-Request": "true"}):
        assert client.post("/benchmarks/new/abc/", {"go": "keep"}, headers=headers).status_code == 403
        assert client.post("/benchmarks/new/abc/review/", {"go": "freeze"}, headers=headers).status_code == 403
    assert Draft.objects.count() == 0


def test_a_new_benchmark_that_a_rule_replays_says_which(signed_in):
    benchmark = make_benchmark()
    make_rule("Nightly", benchmark=benchmark)
    assert "Attached to Nightly ." in text_of(signed_in.get(f"/benchmarks/{benchmark.pk}/"))


def test_a_successor_starts_from_what_still_exists(signed_in):
    judge, ids = make_judge(), make_traces(12)
    benchmark = make_benchmark("Old set", items=0, judge=judge, judge_model="judge-small", per_run_ceiling_cents=123450)
    for n, trace in enumerate(ids):
        source = None if n == 4 else trace
        prompt = [{"role": "user", "content": f"Pinned {n}"}]
        BenchmarkItem.objects.create(benchmark=benchmark, ordinal=n, source_trace_id=source, prompt=prompt)
    Benchmark.objects.update(item_count=12)
    url = f"/benchmarks/{benchmark.pk}/retire/"
    page = signed_in.post(url, fill(signed_in.get(url), "successor", reason="Stale."), follow=True)
    text = text_of(page)
    assert "Filled in from “Old set”. 1 of its 12 source conversations are deleted and left out." in text
    assert "11 of 10–200" in text
    for value in ("Old set", "judge-small", "1,234.50", "512"):
        assert f'value="{value}"' in page.content.decode()
    review = signed_in.post(page.request["PATH_INFO"], fill(page, "review"), follow=True)
    signed_in.post(review.request["PATH_INFO"], fill(review, "freeze"))
    new = Benchmark.objects.get(status="active")
    assert (new.name, new.judge_model, new.item_count) == ("Old set", "judge-small", 11)
    retired = signed_in.get(url)
    assert "Pin a successor" in text_of(retired)
    assert signed_in.post("/benchmarks/bm_none/successor/").status_code == 404


def test_a_successor_whose_judge_went_asks_for_one(signed_in):
    benchmark = make_benchmark("Old set")
    page = signed_in.post(f"/benchmarks/{benchmark.pk}/successor/", follow=True)
    assert "Its judge, Helpfulness, is not there any more: choose one." in text_of(page)
