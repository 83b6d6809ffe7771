"""The audit log: for admins to read, filter and take away. There is no route that changes it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.web.common.links import link_pages, with_query
from dashboard.web.common.times import show_moment
from dashboard.web.site import access
from dashboard.web.site.audit.forms import AuditForm
from dashboard.web.site.audit.present import write_csv, write_jsonl
from dashboard.web.site.models import AuditEntry

ENTRIES_A_PAGE = 50
RECORD = re.compile(r"(?:^|; )record (\S+), digest [0-9a-f]{64}(?:;|$)")
"""How a decision's entry names its record; what a person typed comes after it."""
ENTRIES_A_READ = 1000


@require_safe
def show_audit(request: HttpRequest) -> HttpResponse:
    """One page of it, newest first. A wrong query value is named on it, with status 400."""
    access.check(request.user, "read_audit")
    form = read_query(request)
    page = Paginator(choose_entries(form), ENTRIES_A_PAGE).get_page(form.value("page") or 1)
    now = datetime.now(UTC)
    here, query = reverse("audit"), form.valid_query
    context = {
        "form": form,
        "page": page,
        "rows": [{"entry": entry, "at": show_moment(entry.at, now), "record": find_record(entry)} for entry in page],
        "filtered": any(name != "page" for name in query),
        **link_pages(page, here, query),
        "csv_url": with_query(reverse("audit-export", args=["csv"]), query, page=None),
        "jsonl_url": with_query(reverse("audit-export", args=["jsonl"]), query, page=None),
    }
    return render(request, "web/site/audit.html", context, status=400 if form.errors else 200)


@require_safe
def export_audit(request: HttpRequest, kind: str) -> HttpResponseBase:
    """Every entry that the same filters choose, as a file, sent while it is read. 400 for a wrong query value."""
    access.check(request.user, "read_audit")
    form = read_query(request)
    if form.errors:
        return HttpResponseBadRequest("\n".join(map(str, form.problems)), content_type="text/plain")
    entries = choose_entries(form).iterator(ENTRIES_A_READ)
    lines = write_csv(entries) if kind == "csv" else write_jsonl(entries)
    content_type = "text/csv; charset=utf-8" if kind == "csv" else "application/jsonl; charset=utf-8"
    answer = StreamingHttpResponse(lines, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="audit-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.{kind}"'
    return answer


def find_record(entry: AuditEntry) -> str:
    """The id of the record that a decision's entry names; empty where it names none."""
    found = RECORD.search(entry.message) if entry.target_kind == "run" else None
    return found[1] if found else ""


def read_query(request: HttpRequest) -> AuditForm:
    """The query, validated."""
    actions = AuditEntry.objects.order_by("action").values_list("action", flat=True).distinct()
    form = AuditForm(request.GET, list(actions))
    form.is_valid()
    return form


def choose_entries(form: AuditForm) -> QuerySet[AuditEntry]:
    """The entries that the form asks for, the newest first."""
    entries = AuditEntry.objects.order_by("-id")
    if who := form.value("who"):
        entries = entries.filter(who_name__icontains=who)
    if action := form.value("action"):
        entries = entries.filter(action=action)
    if target := form.value("target"):
        entries = entries.filter(Q(target_name__icontains=target) | Q(target_id=target) | Q(target_kind=target))
    if outcome := form.value("outcome"):
        entries = entries.filter(outcome=outcome)
    if form.since:
        entries = entries.filter(at__gte=form.since)
    if form.until:
        entries = entries.filter(at__lte=form.until)
    return entries
