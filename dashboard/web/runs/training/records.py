"""The record of a decision: what the reviewer saw, kept word for word, with a digest that anybody can compute again."""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.contrib.auth.models import AnonymousUser, User
from django.db import DatabaseError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.sources.loop.wire import Instant, TrainingRun
from dashboard.web.common.times import show_moment
from dashboard.web.runs.models import DecisionRecord
from dashboard.web.runs.training import present
from dashboard.web.runs.training.case import Case, digest_judge
from dashboard.web.runs.training.words import DONE
from dashboard.web.site import access
from dashboard.web.site.models import AuditEntry

FORMAT = 1
logger = logging.getLogger(__name__)


class Body(msgspec.Struct, frozen=True):
    """A record's body, read again."""

    at: datetime
    who: str
    action: str
    reason: str
    force: bool
    expected_revision: int | None
    outcome: str
    state: str
    """The run's state as the service gave it afterwards; "" where nothing is known."""
    decided_by: str
    decided_at: Instant
    digests: dict[str, str]
    case: Case


def keep_record(
    user: User | AnonymousUser,
    case: Case,
    *,
    action: str,
    reason: str,
    force: bool,
    expected_revision: int | None,
    outcome: str,
    after: TrainingRun | None,
) -> DecisionRecord | None:
    """Write the record of a decision that was sent. None where the database will not take it: the log has it then."""
    run, now = case.detail.run, datetime.now(UTC)
    record_id = f"rec_{secrets.token_hex(8)}"
    body: dict[str, Any] = {
        "format": FORMAT,
        "id": record_id,
        "at": now.isoformat(),
        "who": user.get_username(),
        "who_id": user.pk,
        "run_id": run.id,
        "workspace_id": run.workspace_id,
        "action": action,
        "reason": reason,
        "force": force,
        "expected_revision": expected_revision,
        "outcome": outcome,
        "state": after.state if after else "",
        "decided_by": (after and after.decided_by) or "",
        "decided_at": msgspec.to_builtins(after.decided_at) if after else None,
        "digests": {
            "set": case.detail.benchmark.items_digest if case.detail.benchmark else "",
            "benchmark_judge": digest_judge(case.benchmark),
            "comparison_judge": digest_judge(case.evaluation),
        },
        "case": msgspec.to_builtins(case),
    }
    text = json.dumps(body, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    record = DecisionRecord(
        id=record_id,
        at=now,
        run_id=run.id,
        workspace_id=run.workspace_id[:200],
        action=action,
        outcome=outcome,
        who_name=user.get_username()[:200],
        body=text,
        digest=digest_text(text),
    )
    try:
        with transaction.atomic():
            record.save()
    except DatabaseError:
        logger.exception("The decision records could not take: %s", text)
        return None
    return record


def digest_text(text: str) -> str:
    """SHA-256 of the text in UTF-8, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def find_records(run: TrainingRun) -> list[DecisionRecord]:
    """The records of this run's decisions, the oldest first. The same id in another workspace is another run."""
    return list(DecisionRecord.objects.filter(run_id=run.id, workspace_id=run.workspace_id[:200]).order_by("at", "id"))


def find_faults(record: DecisionRecord) -> list[str]:
    """What does not fit: its digest, its columns, the audit log. Empty for a record that stands as it was kept."""
    faults = []
    if digest_text(record.body) != record.digest:
        faults.append("the text is not the one that the digest was taken of")
    try:
        body = json.loads(record.body)
        kept = {name: body.get(name) for name in ("id", "run_id", "action", "outcome")}
        if kept != {name: getattr(record, name) for name in kept} or body.get("who", "")[:200] != record.who_name:
            faults.append("the columns say something else than the text")
    except (ValueError, AttributeError):
        faults.append("the text cannot be read")
    if not AuditEntry.objects.filter(target_id=record.run_id[:400], message__contains=record.digest).exists():
        faults.append("the audit log does not name this digest")
    return faults


@require_safe
def show_record(request: HttpRequest, record_id: str) -> HttpResponse:
    """One record, as it stood, to read and to print; and whether it still is what was kept."""
    access.check(request.user, "read")
    record = DecisionRecord.objects.filter(pk=record_id).first()
    if record is None:
        raise Http404
    now = datetime.now(UTC)
    context: dict[str, Any] = {"record": record, "faults": find_faults(record), "at": show_moment(record.at, now)}
    try:
        body = msgspec.json.decode(record.body, type=Body)
    except msgspec.MsgspecError:
        return render(request, "web/runs/record.html", context)
    context |= {
        "body": body,
        "done": DONE.get(body.action, body.action),
        "decided_at": show_moment(body.decided_at, now),
        **present.build_evidence(body.case, body.at),
    }
    return render(request, "web/runs/record.html", context)
