"""Which benchmark a rule replays, changed from either's page: the checks and the write that both share."""

from __future__ import annotations

from django.http import HttpRequest

from dashboard.sources import reader
from dashboard.sources.connect import get_loop
from dashboard.sources.loop.wire import Benchmark, Rule
from dashboard.sources.reader import Absent
from dashboard.web.common.refusals import Refusal
from dashboard.web.site.audit import log as audit

WHAT_IT_DOES = (
    "A rule replays its benchmark on every run that starts from then on; a paused one starts none. It raises no amount "
    "that was agreed to, so consent is not touched and nobody has to agree again."
)


def change_benchmark(request: HttpRequest, rule: Rule, benchmark_id: str | None, *, seen: str) -> str:
    """Have the rule replay this benchmark, or none, and say what was done.

    `rule` is as it is now, `seen` the benchmark id that the form was opened over ("" for none). Raises
    `Refusal` when the rule changed in between, and every `SourceError`: the service's refusals are in its words.
    """
    loop = get_loop(actor=request.user.get_username())
    wanted = find_benchmark(benchmark_id) if benchmark_id else None
    if (rule.benchmark_id or None) == benchmark_id:
        done = f"replays “{wanted.name}” already" if wanted else "replays no benchmark already"
        return f"“{rule.name}” {done}: nothing had to be changed."
    action = "attach" if benchmark_id else "detach"
    with audit.record(request, action=action, target_kind="rule", target_id=rule.id, target_name=rule.name) as entry:
        # A retired one is left to the service to refuse: that says more than that the form is old.
        if (rule.benchmark_id or "") != seen and not (wanted and wanted.status == "retired"):
            raise Refusal(
                "STALE_FORM",
                f"The rule changed after this form was opened: it replayed {name_of(seen)} then, and replays "
                f"{name_of(rule.benchmark_id)} now. Nothing was changed; look again and send it once more.",
            )
        before = find_benchmark(rule.benchmark_id)
        try:
            loop.set_rule_benchmark(rule.id, benchmark_id)
        finally:
            reader.changed(reader.rules.ask(), reader.rule.ask(rule.id))
        entry.message = f"from {identify(before, rule.benchmark_id)} to {identify(wanted, benchmark_id)}"
    if benchmark_id:
        paused = "" if rule.enabled else " It is paused: until it is resumed it starts none."
        return f"“{rule.name}” replays “{wanted.name if wanted else benchmark_id}” on every run from now on.{paused}"
    return f"“{rule.name}” replays no benchmark from now on. What was measured stays."


def find_benchmark(benchmark_id: str | None) -> Benchmark | None:
    """The benchmark as it is now, None where the service does not have it or no id is given."""
    if not benchmark_id:
        return None
    found = reader.benchmark.fresh(benchmark_id)
    return None if isinstance(found, Absent) else found.need().value


def identify(benchmark: Benchmark | None, benchmark_id: str | None) -> str:
    """A benchmark as the audit log names it: names come back, ids do not."""
    if not benchmark_id:
        return "no benchmark"
    return f"“{benchmark.name}” ({benchmark_id})" if benchmark else benchmark_id


def name_of(benchmark_id: str | None) -> str:
    """A benchmark as a sentence names it."""
    if not benchmark_id:
        return "no benchmark"
    found = find_benchmark(benchmark_id)
    if found is None:
        return f"“{benchmark_id}”, which the service does not have"
    return f"“{found.name}”" + (" (retired since)" if found.status == "retired" else "")
