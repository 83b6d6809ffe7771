"""The fingerprint of a benchmark's rows."""

from __future__ import annotations

import pytest

from dashboard.store.digest import digest_items, digest_json

ROW = {"prompt": [{"role": "user", "content": "Hi"}], "tools": None}


def test_it_is_a_sha_256_that_stays_the_same():
    assert digest_json([]) == "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    assert (
        digest_items([ROW])
        == digest_items([{**ROW, "source_trace_id": "tr_1"}])
        == digest_items([{"prompt": ROW["prompt"]}])
    )


def test_order_content_and_tools_change_it():
    other = {**ROW, "tools": [{"type": "function"}]}
    digests = {digest_items(rows) for rows in ([ROW], [other], [ROW, other], [other, ROW], [ROW, ROW], [])}
    assert len(digests) == 6


def test_what_is_not_json_is_refused():
    with pytest.raises(ValueError, match="not JSON serializable"):
        digest_json({1, 2})
    with pytest.raises(ValueError, match="not JSON compliant"):
        digest_json(float("nan"))


def test_a_number_has_one_form_however_a_database_keeps_it():
    assert digest_json([1.0, 100.0, -0.0, 1e300, 0.1]) == digest_json([1, 100, 0, 10**300, 0.1])
    assert digest_json(1.5) != digest_json(1)
    assert digest_json({"deep": (1.0, {"x": 2.0})}) == digest_json({"deep": [1, {"x": 2}]})
