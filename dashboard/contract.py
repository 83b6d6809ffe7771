"""Constants that both sides of the wire may know: words, bounds, patterns. No code of ours and no Django here."""

from __future__ import annotations

import re

API_ROOTS = ("/api/", "/v1/")
"""What the addresses of the Loop API and of the Runloop API begin with."""

WORKSPACE_KEY = "benchtrend.workspace"
"""The META key that names the workspace of a caller in this process. No header can set it: those are HTTP_*."""
ACTOR_KEY = "benchtrend.actor"
"""The META key that names the person a call in this process is made for; the service records it with what it wrote."""

SCOPES = READ, WRITE = ("loop:read", "loop:write")
"""What an API key may do."""

LEAST_ITEMS, MOST_ITEMS = 10, 200
"""How many conversations a benchmark pins."""
BENCHMARK_STATUSES = ("active", "retired")
MOVING_STATES = (
    "built", "registering", "dataset_validating", "preflighting", "job_creating", "training", "checkpoint_ready",
    "candidate_booking", "candidate_running", "evaluating", "reported", "awaiting_review", "promoting", "waiting_funds",
)  # fmt: skip
FINAL_STATES = ("promoted", "rejected", "expired", "failed", "budget_stopped", "cancelled", "superseded", "rolled_back")
VERDICTS = ("better", "not_better", "inconclusive", "not_evaluated")
ACTIONS = ("promote", "reject", "rollback", "cancel")
"""What a person can do about a training run."""

ROW_STATUSES = ("pending", "working", "done", "failed")
"""Where a row of a replay stands: no answer yet, some, both answered and judged, or broken."""
WINNERS = ("candidate", "incumbent", "tie")
TIE_SHARE = 0.02
"""Two scores of one row are a tie where less than this share of the scale lies between them."""
PASS_SHARE = 0.7
"""A row passes from this share of a bounded scale on, counted in the scale's direction."""
ROUNDING = 1e-9
"""A share that is off by less is off by nothing but the arithmetic of floats."""

_NUMBER = r"[-−]?\d+(?:\.\d+)?"
SCALE_BOUNDS = re.compile(rf"(?<![\w.])({_NUMBER})\s*(?:-|–|—|to|through|\.\.\.?|,)\s*({_NUMBER})(?![\w]|\.\d)")
"""The bounds in "0-1", "1 to 5", "[0, 10]" or "0..100 points"."""
LOWER_IS_BETTER = re.compile(r"\b(lower|smaller|less)\b[^.;]*\bbetter\b", re.IGNORECASE)
HIGHER_IS_BETTER = re.compile(r"\b(higher|larger|greater|more)\b[^.;]*\bbetter\b", re.IGNORECASE)
DIRECTION_UNKNOWN = re.compile(r"\bdirection\b[^.;]*\bunknown\b|\bunknown direction\b", re.IGNORECASE)
