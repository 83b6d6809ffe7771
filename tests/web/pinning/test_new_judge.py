"""Writing a judge on the way to a benchmark."""

from __future__ import annotations

import threading

import pytest
from django.db import connection
from django.test import Client

from dashboard.store import judge
from dashboard.store.models import Judge
from dashboard.web.models import AuditEntry, Draft
from dashboard.web.pinning.judge_form import LONGEST_DESCRIPTION, LONGEST_KEY, MOST_DIMENSIONS, JudgeForm
from dashboard.web.site import drafts
from tests.factories import make_judge
from tests.sources.faulty_server import reply_json
from tests.web.conftest import make_person
from tests.web.pages import fill, text_of

pytestmark = pytest.mark.django_db
DIMENSIONS = {"key": ["helpful", "", "short"], "description": ["Does it help?", "", "Is it short?"]}


def open_judge(client, **typed):
    """The judge's form, reached from a benchmark's form in which `typed` stands; and both addresses."""
    page = client.get("/benchmarks/new/", follow=True)
    back = page.request["PATH_INFO"]
    judge = client.post(back, fill(page, "judge", **typed), follow=True)
    return judge, f"{judge.request['PATH_INFO']}?{judge.request['QUERY_STRING']}", back


def test_it_works_and_leads_back_with_it_chosen_and_nothing_lost(signed_in):
    make_judge("Another")
    page, url, back = open_judge(signed_in, name="My set", cap="4")
    sent = fill(page, "write", name="Strict", model="judge-xl", instructions="Be\r\nstrict.", **DIMENSIONS)
    done = signed_in.post(url, sent, follow=True)
    judge = Judge.objects.get(name="Strict")
    assert done.request["PATH_INFO"] == back
    assert "The judge “Strict” is written." in text_of(done)
    content = done.content.decode()
    assert f'value="{judge.pk}" checked' in content
    assert 'value="My set"' in content
    assert judge.instructions == "Be\nstrict."
    assert [one["key"] for one in judge.dimensions] == ["helpful", "short"]
    assert (AuditEntry.objects.get().target_kind, AuditEntry.objects.get().outcome) == ("judge", "done")
    assert AuditEntry.objects.get().message == "scores helpful, short"


def test_the_second_press_writes_no_second_judge(signed_in):
    page, url, back = open_judge(signed_in)
    sent = fill(page, "write", name="Strict", instructions="Be strict.", **DIMENSIONS)
    signed_in.post(url, sent)
    assert signed_in.post(url, sent)["Location"] == back
    assert Judge.objects.count() == 1


def test_every_fault_is_named_and_what_was_typed_stays(signed_in):
    page, url, _back = open_judge(signed_in)
    page = signed_in.post(url, fill(page, "write", instructions="Be strict.", key=["", "", ""]))
    assert page.status_code == 422
    text = text_of(page)
    assert "Name : Give it a name." in text
    assert "Dimensions : Name at least one dimension to score." in text
    assert "Be strict." in text


@pytest.mark.parametrize(
    ("keys", "told", "said"),
    [
        (["a", "a"], ["One", "Two"], "The key “a” stands there more than once."),
        (["", "b"], ["One", "Two"], "“One” describes a dimension that has no key."),
    ],
)
def test_a_row_that_makes_no_sense_is_named(signed_in, keys, told, said):
    page, url, _back = open_judge(signed_in)
    sent = fill(page, "write", name="Strict", instructions="Be strict.", key=keys, description=told)
    assert said in text_of(signed_in.post(url, sent))


def test_a_row_is_added_and_everything_kept_without_script(signed_in):
    page, url, _back = open_judge(signed_in)
    page = signed_in.post(url, fill(page, "row", name="Strict", **DIMENSIONS), follow=True)
    assert page.content.count(b'name="key"') == 4
    assert b'value="helpful"' in page.content
    assert b'value="Strict"' in page.content


def test_the_service_s_refusal_stands_at_its_field(signed_in):
    page, url, _back = open_judge(signed_in)
    sent = fill(page, "write", name="Strict", instructions="Be strict.", key=["a\u0085b"], description=["One"])
    page = signed_in.post(url, sent)
    assert page.status_code == 422
    assert "Dimensions : dimensions[0].key must be on one line." in text_of(page)
    assert 'value="a\u0085b"' in page.content.decode()
    assert Judge.objects.count() == 0


@pytest.mark.parametrize(
    ("keys", "told", "said"),
    [
        ([f"k{n}" for n in range(21)], [""] * 21, "At most 20 dimensions; these are 21."),
        (["k" * 81], [""], "A key has at most 80 characters; “"),
        (["k"], ["t" * 2_001], "A description has at most 2000 characters; that of “k” has 2001."),
    ],
)
def test_more_than_the_api_takes_is_refused_before_it_is_sent(signed_in, keys, told, said):
    page, url, _back = open_judge(signed_in)
    sent = fill(page, "write", name="Strict", instructions="Be strict.", key=keys, description=told)
    page = signed_in.post(url, sent)
    assert page.status_code == 422
    assert f"Dimensions : {said}" in text_of(page)
    assert f'value="{keys[-1]}"' in page.content.decode()
    assert AuditEntry.objects.count() == 0


def test_the_form_takes_what_the_api_takes():
    taken = (judge.MOST_DIMENSIONS, judge.KEY.most, judge.DESCRIPTION.most)
    assert taken == (MOST_DIMENSIONS, LONGEST_KEY, LONGEST_DESCRIPTION)
    fields = JudgeForm(with_scale=True).fields
    for name, rule in (("name", judge.NAME), ("model", judge.MODEL), ("instructions", judge.INSTRUCTIONS)):
        assert fields[name].max_length == rule.most


def test_reading_the_address_of_a_written_judge_chooses_nothing_again(signed_in):
    other = make_judge("Another")
    page, url, back = open_judge(signed_in)
    signed_in.post(url, fill(page, "write", name="Strict", instructions="Be strict.", **DIMENSIONS))
    form = fill(signed_in.get(back), "look", judge=other.pk) | {"go": "keep"}
    signed_in.post(back, form)
    assert signed_in.get(url)["Location"] == back
    assert Draft.objects.get(kind="benchmark").body["judge"] == other.pk


def test_a_benchmark_s_form_that_is_somebody_else_s_is_left_alone(signed_in):
    theirs = Draft.objects.create(id="theirs", user=make_person("mia", "member"), kind="benchmark", body={})
    page = signed_in.get("/judges/new/abc/?draft=theirs")
    sent = fill(page, "write", name="Strict", instructions="Be strict.", **DIMENSIONS)
    done = signed_in.post("/judges/new/abc/?draft=theirs", sent, follow=True)
    assert done.status_code == 200
    assert f'value="{Judge.objects.get().pk}" checked' in done.content.decode()
    theirs.refresh_from_db()
    assert theirs.body == {}


@pytest.mark.django_db(transaction=True)
def test_four_presses_on_a_fresh_form_at_the_same_time_write_one_judge_and_all_lead_on():
    user = make_person("mia", "member")
    form = {"go": "write", "name": "Strict", "instructions": "Be strict.", **DIMENSIONS}
    start, answers = threading.Barrier(4), []

    def press():
        client = Client()
        client.force_login(user)
        start.wait()
        try:
            answers.append(client.post("/judges/new/abc/", form, follow=True))
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanting = Draft.objects.get(kind="benchmark")
    assert [one.request["PATH_INFO"] for one in answers] == [f"/benchmarks/new/{wanting.pk}/"] * 4
    assert wanting.body["judge"] == Judge.objects.get().pk


def test_a_judge_that_is_still_being_sent_is_not_written_anew(signed_in, admin, monkeypatch):
    monkeypatch.setattr(drafts, "WAIT_S", 0)
    draft = Draft(id="abc", user=admin, kind="judge")
    drafts.save(draft, {"name": "Strict"})
    assert drafts.claim(draft)
    page = signed_in.get("/judges/new/abc/")
    assert "Being sent" in text_of(page)
    assert b'value="reopen"' not in page.content
    signed_in.post("/judges/new/abc/", {"go": "reopen"})
    draft.refresh_from_db()
    assert draft.state == "sending"
    drafts.settle(draft, "unknown")
    assert b'value="reopen"' in signed_in.get("/judges/new/abc/").content


def test_who_finds_no_judge_of_that_name_gets_back_what_was_typed(signed_in, connect):
    lost, judges, sent = [True], [], []

    def answer(request):
        if request.method == "POST":
            sent.append(request)
            if lost[0]:
                return [b"HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\n{"]
            judges.append({"id": "jdg_1", "name": "Strict"})
            return reply_json({"judge": judges[0]}, 201)
        return reply_json({"judges": judges, "datasets": [], "traces": [], "total": 0})

    connect(answer)
    url = "/judges/new/abc/?draft=xyz"
    form = {"go": "write", "name": "Strict", "instructions": "Be strict.", **DIMENSIONS}
    page = signed_in.post(url, form)
    assert "No judge has this name now." in text_of(page)
    reopen = fill(page, "reopen")
    for _press in range(2):
        page = signed_in.post(url, reopen, follow=True)
        assert (page.status_code, page.request["QUERY_STRING"]) == (200, "draft=xyz")
        assert "Be strict." in text_of(page)
        assert b'value="Strict"' in page.content
        assert b'value="short"' in page.content
        assert "Is it short?" in text_of(page)
    assert len(sent) == 1
    lost[0] = False
    assert signed_in.post(url, fill(page, "write"))["Location"] == "/benchmarks/new/xyz/"
    assert len(sent) == 2


@pytest.mark.parametrize("status", [200, 500])
def test_what_is_there_or_cannot_be_looked_up_is_not_opened_again(signed_in, admin, connect, status):
    draft = Draft(id="abc", user=admin, kind="judge")
    drafts.save(draft, {"name": "Strict"})
    assert drafts.claim(draft)
    drafts.settle(draft, "unknown")
    connect(lambda request: reply_json({"judges": [{"id": "jdg_1", "name": "Strict"}]}, status))
    page = signed_in.post("/judges/new/abc/", {"go": "reopen"})
    assert "Outcome unknown" in text_of(page)
    assert b'value="reopen"' not in page.content
    draft.refresh_from_db()
    assert draft.state == "unknown"


def test_without_a_benchmark_s_form_a_new_one_opens_with_it_chosen(signed_in):
    page = signed_in.get("/judges/new/", follow=True)
    sent = fill(page, "write", name="Strict", instructions="Be strict.", **DIMENSIONS)
    done = signed_in.post(page.request["PATH_INFO"], sent, follow=True)
    assert f'value="{Judge.objects.get().pk}" checked' in done.content.decode()


def test_a_lost_answer_is_looked_up_and_never_sent_again(signed_in, connect):
    sent = []

    def answer(request):
        if request.method == "POST":
            sent.append(request)
            return [b"HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\n{"]
        return reply_json({"judges": [{"id": "jdg_1", "name": "Strict"}] if sent else []})

    connect(answer)
    url = "/judges/new/abc/"
    form = {"go": "write", "name": "Strict", "instructions": "Be strict.", **DIMENSIONS}
    page = signed_in.post(url, form)
    assert page.status_code == 502
    assert "There is a judge of this name now" in text_of(page)
    assert "Outcome unknown" in text_of(signed_in.post(url, form))
    assert len(sent) == 1
    assert AuditEntry.objects.get().outcome == "unknown"


def test_a_scale_is_kept_and_one_without_bounds_is_refused(signed_in):
    page, url, _back = open_judge(signed_in)
    sent = fill(page, "write", name="Strict", instructions="Be strict.", scale="five stars", **DIMENSIONS)
    refused = signed_in.post(url, sent)
    assert refused.status_code == 422
    assert "such as 1-5" in text_of(refused)
    assert 'value="five stars"' in refused.content.decode()
    signed_in.post(url, sent | {"scale": "1-5"})
    assert Judge.objects.get().scale == "1-5"
