"""A new benchmark's form, filled in from one that exists."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.sources import reader
from dashboard.sources.http.errors import NotFound, SourceError
from dashboard.sources.loop.wire import Benchmark
from dashboard.web.common.redirects import SeeOther
from dashboard.web.pinning.forms import show_typed_cents
from dashboard.web.pinning.picks import MOST_KEPT, build_pick
from dashboard.web.site import access, drafts
from dashboard.web.site.away import answer_away


@require_http_methods(["GET", "HEAD", "POST"])
def start_successor(request: HttpRequest, benchmark_id: str) -> HttpResponse:
    """Open the form of a successor. Reading this address leads to the page that offers one."""
    access.check(request.user, "create")
    if request.method != "POST":
        return redirect("retire", benchmark_id)
    try:
        return SeeOther(reverse("new-benchmark-draft", args=[prefill(request, benchmark_id)]))
    except NotFound as error:
        raise Http404 from error
    except SourceError as error:
        return answer_away(request, error)


def prefill(request: HttpRequest, benchmark_id: str) -> str:
    """A draft with this benchmark's name, judge, cap and those of its source conversations that still exist: its id."""
    found, judges, rows = reader.together(
        reader.benchmark.ask(benchmark_id),
        reader.judges.ask(),
        reader.items.ask(benchmark_id, limit=MOST_KEPT),
        fresh=True,
    )
    benchmark, items = found.need().value, rows.need().value[0]
    judge = next((one for one in judges.need().value if one.id == benchmark.judge_id), None)
    sources = [item for item in items if item.source_trace_id]
    picks = {item.source_trace_id: build_pick(item.source_trace_id or "", item.prompt) for item in sources}
    max_tokens = benchmark.decoding.max_tokens
    body = {
        "name": benchmark.name,
        "judge": judge.id if judge else "",
        "judge_model": "" if judge and judge.model == benchmark.judge_model else benchmark.judge_model,
        "max_tokens": "" if max_tokens is None else str(max_tokens),
        "cap": show_typed_cents(benchmark.per_run_ceiling_cents),
        "source": "traces",
        "picks": list(picks.values()),
        "note": describe(benchmark, len(items) - len(sources), judge_gone=judge is None),
    }
    draft = drafts.open_draft(request, drafts.new_id(), "benchmark")
    drafts.save(draft, body)
    return draft.pk


def describe(benchmark: Benchmark, gone: int, *, judge_gone: bool) -> str:
    said = [f"Filled in from “{benchmark.name}”."]
    if gone:
        said.append(f"{gone} of its {benchmark.item_count} source conversations are deleted and left out.")
    if judge_gone:
        said.append(f"Its judge, {benchmark.judge_name or benchmark.judge_id}, is not there any more: choose one.")
    return " ".join(said)
