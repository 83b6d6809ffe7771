"""Constants that both sides of the wire may know: words, bounds, patterns. No code of ours and no Django here."""

from __future__ import annotations

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
