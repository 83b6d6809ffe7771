"""Conversations as turns to read: every shape that comes along, what is cut and how, and never more than text."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.template.loader import render_to_string
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.store.pin import can_ask
from dashboard.web.common.texts import write_json
from dashboard.web.conversations.present import (
    ALONE,
    PREVIEW,
    build_conversation,
    build_turn,
    is_usable,
    matches,
    summarise,
)

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "tool_call_id",
        "image_url",
    ]
)
WORDS = st.sampled_from(["user", "tool", "assistant", "text", "tool_use", "tool_result", "image_url", "", " ", "t1"])
MESSAGE_LIKE = st.recursive(
    st.none() | WORDS | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=15,
)


def say(content: Any, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def call(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def blocks_of(message: Any) -> list[tuple[str, str, str, str]]:
    (turn,) = build_conversation([message]).turns
    return [(block.label, block.name, block.text, block.note) for block in turn.blocks]


def html_of(prompt: Any, tools: Any = None, **more: Any) -> str:
    return render_to_string(
        "web/conversations/_conversation.html", {"conversation": build_conversation(prompt, tools), **more}
    )


def text_of(html: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html).split()))


def test_it_works():
    shown = build_conversation([say("Be brief.", "system"), say("Where is it?"), say("On its way.", "assistant")])
    assert [(turn.role, turn.tone, turn.blocks[0].text) for turn in shown.turns] == [
        ("system", "system", "Be brief."),
        ("user", "user", "Where is it?"),
        ("assistant", "assistant", "On its way."),
    ]
    assert (shown.turn_count, shown.turns_left, shown.summary, shown.usable) == (3, 0, "Where is it?", True)


def test_a_role_that_nobody_knows_stands_as_given():
    (turn,) = build_conversation([say("Hm.", "critic/7")]).turns
    assert (turn.role, turn.tone) == ("critic/7", "other")
    assert "no role" in text_of(html_of([{"content": "Hm."}]))


@pytest.mark.parametrize("content", [None, "", [], {}, [None, ""]])
def test_null_and_empty_show_nothing(content):
    assert blocks_of(say(content)) == []
    assert text_of(html_of([say(content)])) == "user"


@pytest.mark.parametrize(("content", "text"), [(0, "0"), (False, "false"), (7.5, "7.5"), ([[1, 2]], "[\n  1,\n  2\n]")])
def test_content_that_is_no_text_is_shown_as_what_it_is(content, text):
    assert blocks_of(say(content)) == [("", "", text, "")]


def test_parts_are_shown_by_their_kind():
    content = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "https://pictures.example/a.png"}},
        {"type": "image", "data": "(9 bytes)"},
        {"type": "input_audio", "input_audio": {"data": "UklGRg", "format": "wav"}},
        {"type": "hologram", "hologram": "spinning"},
        {"text": "no kind"},
        {"x": 1},
        None,
        "plain",
    ]
    assert blocks_of(say(content)) == [
        ("", "", "What is this?", ""),
        ("image", "", "https://pictures.example/a.png", ""),
        ("image", "", "(9 bytes)", ""),
        ("audio", "", '{"format": "wav", "data": "UklGRg"}', ""),
        ("part of the kind", "hologram", "spinning", ""),
        ("", "", "no kind", ""),
        ("", "", '{\n  "x": 1\n}', ""),
        ("", "", "plain", ""),
    ]


def test_a_part_of_text_that_is_no_text_is_not_lost():
    assert blocks_of(say([{"type": "text", "text": {"a": 1}}])) == [("", "text", '{\n  "a": 1\n}', "")]
    assert blocks_of(say([{"type": "text", "text": None}])) == []


def test_calls_are_shown_in_order_with_their_arguments():
    calls = [
        call("t1", "find", '{"city":"Oslo","days":2}'),
        {"id": "t2", "name": "find", "arguments": {"city": "Bergen"}},
        call("t3", "find", '{"city": "Tro'),
        call("t4", "stop", ""),
        "odd",
        None,
    ]
    assert blocks_of(say(None, "assistant", tool_calls=calls)) == [
        ("calls", "find", '{\n  "city": "Oslo",\n  "days": 2\n}', ""),
        ("calls", "find", '{\n  "city": "Bergen"\n}', ""),
        ("calls", "find", '{"city": "Tro', "not valid JSON"),
        ("calls", "stop", "", ""),
        ("calls", "", "odd", ""),
    ]


def test_a_call_of_the_older_shape_is_a_call():
    assert blocks_of(say(None, "assistant", function_call={"name": "find", "arguments": "{}"})) == [
        ("calls", "find", "{}", "")
    ]


def test_a_result_says_which_call_it_answers_and_an_orphan_is_marked():
    turns = build_conversation([
        say(None, "assistant", tool_calls=[call("t1", "find", "{}")]),
        say("rain", "tool", tool_call_id="t1"),
        say("lost", "tool", tool_call_id="t8"),
        say("unnamed", "tool"),
    ]).turns  # fmt: skip
    assert [(turn.note, turn.orphan) for turn in turns[1:]] == [
        ("answers t1, find", False),
        ("answers t8, and no call before it has that id", True),
        ("", False),
    ]


def test_a_result_before_its_call_is_an_orphan():
    first = build_conversation([
        say("rain", "tool", tool_call_id="t1"),
        say(None, "assistant", tool_calls=[call("t1", "find", "{}")]),
    ]).turns[0]  # fmt: skip
    assert first.orphan


def test_calls_and_results_among_the_parts_are_matched_too():
    turns = build_conversation([
        say([{"type": "tool_use", "id": "u1", "name": "find", "input": {"q": "x"}}], "assistant"),
        say([
            {"type": "tool_result", "tool_use_id": "u1", "content": [{"type": "text", "text": "found"}]},
            {"type": "tool_result", "tool_use_id": "u2", "is_error": True, "content": "gone"},
            {"type": "tool_result", "tool_use_id": "u1", "content": [{"type": "tool_result", "content": "deep"}]},
        ]),
    ]).turns  # fmt: skip
    assert [(block.label, block.text, block.note, block.wrong) for turn in turns for block in turn.blocks] == [
        ("calls", '{\n  "q": "x"\n}', "", False),
        ("result", "found", "answers u1, find", False),
        ("failed result", "gone", "answers u2, and no call before it has that id", True),
        ("result", '{"type": "tool_result", "content": "deep"}', "answers u1, find", False),
    ]


def test_keys_that_nobody_knows_are_shown_under_their_names():
    message = say("Yes.", "assistant", name="bot", reasoning="Because.", weight=0, refusal=None, extra={"a": 1})
    (turn,) = build_conversation([message]).turns
    assert turn.name == "bot"
    assert [(block.name, block.text) for block in turn.blocks] == [
        ("", "Yes."),
        ("reasoning", "Because."),
        ("weight", "0"),
        ("extra", '{\n  "a": 1\n}'),
    ]


@pytest.mark.parametrize("prompt", ["Just text", {"question": "Just text"}, 7, True])
def test_a_prompt_that_is_no_list_is_one_entry(prompt):
    (turn,) = build_conversation(prompt).turns
    assert turn.note == ("" if isinstance(prompt, dict) else "not a message")
    assert turn.blocks


def test_messages_that_are_no_mapping_keep_their_place():
    turns = build_conversation([say("a"), "stray", None, ["x"]]).turns
    assert [turn.note for turn in turns] == ["", "not a message", "", "not a message"]
    assert [turn.place for turn in turns] == [0, 1, 2, 3]


def test_no_prompt_is_a_conversation_without_turns():
    assert build_conversation(None).turns == ()
    assert "Nothing was said" in html_of(None)


def test_tools_are_listed_with_their_parameters():
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "days": {}}, "required": ["city"]}
    tools = [
        {"type": "function", "function": {"name": "find", "description": "Weather.", "parameters": schema}},
        {"name": "stop", "input_schema": {}},
        {"type": "search"},
        "bare",
    ]
    found = build_conversation([say("a")], tools).tools
    assert [(tool.name, tool.signature, tool.description) for tool in found] == [
        ("find", "city, days?", "Weather."),
        ("stop", "", ""),
        ("search", "", ""),
        ("bare", "", ""),
    ]
    text = text_of(html_of([say("a")], tools))
    assert "4 tools offered find (city, days?) Weather." in text
    assert '"required": [ "city" ]' in text


def test_tools_that_are_no_list_are_one_tool():
    (tool,) = build_conversation([], {"odd": ["shape"]}).tools
    assert tool.schema
    assert '"odd"' in tool.schema.text


def test_a_huge_turn_is_shown_from_its_beginning_with_its_size_and_a_way_to_the_whole():
    prompt = [say("start " + "x" * 412_304)]
    (turn,) = build_conversation(prompt).turns
    assert len(turn.blocks[0].text) == PREVIEW.turn
    assert turn.size == "412,310 characters"
    html = html_of(prompt, whole_url="/somewhere/?item=3&")
    assert len(html) < 4_000
    assert 'href="/somewhere/?item=3&amp;turn=0"' in html
    assert "href" not in html_of(prompt)
    whole = build_turn(prompt, 0)
    assert whole
    assert whole.size == ""
    assert len(whole.blocks[0].text) == 412_310


def test_a_turn_that_is_not_there_is_none():
    assert build_turn([say("a")], 1) is None
    assert build_turn([say("a")], -1) is None


@pytest.mark.parametrize(
    "prompt",
    [
        [say("x" * 5_000)] * 400,
        [say([{"type": "text", "text": "y"}] * 50_000)],
        [say("")] * 50_000,
        [say(None, "assistant", tool_calls=[call("t", "f", json.dumps(list(range(50_000))))])] * 20,
        [say([{"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 900_000}}])],
    ],
    ids=["long turns", "many parts", "many turns", "long arguments", "a picture"],
)
def test_no_conversation_makes_a_page_of_many_large(prompt):
    shown = build_conversation(prompt)
    assert len(html_of(prompt, [{"name": "f", "parameters": {"p": "z" * 90_000}}] * 300)) < 60_000
    assert shown.turns_left == len(prompt) - len(shown.turns)


def test_a_page_of_one_conversation_shows_more_of_its_turns():
    prompt = [say("short")] * 300
    assert len(build_conversation(prompt).turns) == PREVIEW.turns
    assert len(build_conversation(prompt, limits=ALONE).turns) == 300


def test_deep_nesting_is_shown_or_said_to_be_too_deep():
    deep: Any = "x"
    for _ in range(60):
        deep = [deep]
    assert "x" in html_of([say(deep)])
    for _ in range(100_000):
        deep = [deep]
    assert write_json(deep) == "nested too deeply to show"
    while isinstance(deep, list):  # taken apart by hand: it is too deep to be freed in one go
        deep = deep.pop()


def test_the_summary_is_the_first_user_turn_in_one_line():
    assert summarise([say("Be brief.", "system"), say("One\n\n two   three")]) == "One two three"
    assert summarise([say("Be brief.", "system")]) == "Be brief."
    assert summarise([say("y" * 500)]) == "y" * 160 + "…"
    assert summarise([say([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}])]) == "image"
    assert summarise([say(None, "assistant", tool_calls=[call("t1", "find", "{}")])]) == "calls find"
    assert summarise(None) == ""


def test_words_are_found_anywhere_in_the_conversation():
    prompt = [say('Where is "Ørsta"?'), say(None, "assistant", tool_calls=[call("t1", "find_place", "{}")])]
    assert matches(prompt, None, 'ØRSTA "ørsta" find_PLACE')
    assert matches(prompt, [{"name": "weather"}], "weather where")
    assert not matches(prompt, None, "weather")
    assert not matches(prompt, None, "assistant"), "who speaks is not what is said"


def test_markup_is_only_ever_text():
    hostile = "</script><script>alert(1)</script><img src=x onerror='go()'><a hx-get=\"/x\" href=javascript:x>"
    prompt = [
        {"role": hostile, "name": hostile, "content": [hostile, {"type": hostile, hostile: hostile}], hostile: hostile},
        say(None, "assistant", tool_calls=[call(hostile, hostile, hostile)]),
        say(hostile, "tool", tool_call_id=hostile),
    ]
    tools = [{"name": hostile, "description": hostile, "parameters": {"properties": {hostile: hostile}}}]
    html = html_of(prompt, tools, whole_url="?")
    tags = set(re.findall(r"</?([a-z]+)", html))
    assert tags == {"div", "details", "summary", "ul", "ol", "li", "p", "bdi", "span"}
    assert set(re.findall(r'<[^>]*?\s([a-z-]+)="', html)) <= {"class", "dir"}
    assert text_of(html).count("alert(1)") > 10


@given(ANY_JSON | MESSAGE_LIKE, ANY_JSON | MESSAGE_LIKE)
@settings(max_examples=300, deadline=None)
def test_any_json_can_be_read_and_null_is_never_a_word(prompt, tools):
    shown = build_conversation(prompt, tools)
    html = html_of(prompt, tools)
    html.encode()
    assert shown.turn_count == len(shown.turns)
    given_text = json.dumps([prompt, tools], ensure_ascii=False)
    if "None" not in given_text:
        assert "None" not in html
    matches(prompt, tools, "word")


@given(MESSAGE_LIKE | st.lists(MESSAGE_LIKE, max_size=3))
@settings(max_examples=300, deadline=None)
def test_what_is_usable_is_what_the_service_would_pin(prompt):
    assert is_usable(prompt) == can_ask(prompt)
