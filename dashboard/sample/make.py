"""The sample workspace: a team's year of benchmarks, marked as sample data, made at once and removed at once.

Made from a seed: ids, scores and decisions are the same every time, only the times follow the clock, by the hour.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.sample.conversations import MOST_REPLAYS, WITH_ROWS, build_rows
from dashboard.sample.rows import build_evaluation, build_evaluation_items, build_replay
from dashboard.sample.runloop import make_agent_benchmarks
from dashboard.sample.runs import build_beginnings, build_run, build_timeline, draw_id, refer
from dashboard.sample.story import PROMOTIONS, REVIEW_WINDOW, StoryRun, tell_story
from dashboard.sample.words import BENCHMARKS, DATASET, JUDGES, RULES, SampleBenchmark
from dashboard.store.digest import digest_items
from dashboard.store.models import (
    Benchmark,
    BenchmarkItem,
    BenchmarkRun,
    Dataset,
    DatasetItem,
    Evaluation,
    EvaluationItem,
    Judge,
    ReplayRow,
    Rule,
    RunEvent,
    RunloopBenchmark,
    RunloopRun,
    Trace,
    TrainingRun,
    Workspace,
)
from dashboard.store.pin import fix_decoding, fix_scoring
from dashboard.store.seq import take_seqs

_YEAR = timedelta(days=367)
_MADE_DAYS_AGO = {"first": 366.0, "support": 215.5, "sql": 366.0, "summary": 366.0, "handover": 2.0}
_RETIRED_DAYS_AGO = 215.4
_ATTACHED = {"small": "support", "large": "support", "sql": "sql"}


class SampleRefused(Exception):
    """The sample workspace cannot be made beside what is there. The message says why."""


def is_empty() -> bool:
    """Whether the database holds nothing of a team's yet, in any workspace."""
    return not any(
        model.objects.exists() for model in (Benchmark, Rule, TrainingRun, Trace, Judge, Dataset, RunloopBenchmark)
    )


def fill_if_empty() -> bool:
    """Make the sample workspace in an empty database; True when it was made.

    Once it was removed it stays away: the removal leaves a mark in the state folder, which `create_sample` takes away.
    """
    if _removal_mark().exists() or not is_empty():
        return False
    return create_sample()


def create_sample(*, now: datetime | None = None) -> bool:
    """Make the sample workspace; False, and nothing changed, when it is there. SampleRefused: a name is taken."""
    moment = (now or timezone.now()).replace(minute=0, second=0, microsecond=0)
    with transaction.atomic():
        workspace = Workspace.default()
        if Benchmark.objects.filter(workspace=workspace, sample=True).exists():
            return False
        _check_names(workspace)
        rng = random.Random("benchtrend sample")  # noqa: S311 - ids that are the same every time
        judges = _make_judges(rng, workspace, moment)
        traces = _make_traces(rng, workspace, moment)
        benchmarks = {
            words.key: _make_benchmark(rng, workspace, words, judges[words.judge], traces, moment)
            for words in BENCHMARKS
        }
        _make_dataset(rng, workspace, traces, moment)
        rules = _make_rules(rng, workspace, benchmarks, judges, moment)
        _make_runs(rng, workspace, benchmarks, rules, moment)
        make_agent_benchmarks(workspace, moment)
    _removal_mark().unlink(missing_ok=True)
    return True


def _removal_mark() -> Path:
    return Path(settings.DATA_DIR) / "sample_removed"


def _check_names(workspace: Workspace) -> None:
    benchmarks = Benchmark.objects.filter(workspace=workspace, status="active", name__in=[b.name for b in BENCHMARKS])
    rules = Rule.objects.filter(workspace=workspace, name__in=[r.name for r in RULES])
    taken = [*benchmarks.values_list("name", flat=True), *rules.values_list("name", flat=True)]
    if taken:
        raise SampleRefused(f'"{taken[0]}" is a name of the sample workspace and is taken by your own data')


def _make_judges(rng: random.Random, workspace: Workspace, now: datetime) -> dict[str, Judge]:
    judges = {
        key: Judge(
            id=draw_id(rng, "jdg"),
            workspace=workspace,
            sample=True,
            created_at=now - _YEAR,
            name=words.name,
            model=words.model,
            scale=words.scale,
            instructions=words.instructions,
            dimensions=[{"key": k, "description": d} for k, d in words.dimensions.items()],
            system_prompt=words.system_prompt,
        )
        for key, words in JUDGES.items()
    }
    Judge.objects.bulk_create(judges.values())
    return judges


def _make_traces(rng: random.Random, workspace: Workspace, now: datetime) -> dict[str, list[Trace]]:
    """The captured conversations that each benchmark was copied from. The first set shares those of its successor."""
    traces = {
        words.key: [
            Trace(
                id=draw_id(rng, "tr"),
                workspace=workspace,
                sample=True,
                created_at=now - _YEAR - timedelta(hours=number),
                source="sample capture",
                external_id=f"{words.key}-{number}",
                messages=messages,
                tools=tools,
                model="open-chat-8b",
            )
            for number, (messages, tools) in enumerate(words.conversations)
        ]
        for words in BENCHMARKS
        if words.key != "first"
    }
    Trace.objects.bulk_create(trace for group in traces.values() for trace in group)
    return traces | {"first": traces["support"]}


def _make_benchmark(
    rng: random.Random,
    workspace: Workspace,
    words: SampleBenchmark,
    judge: Judge,
    traces: dict[str, list[Trace]],
    now: datetime,
) -> Benchmark:
    retired = words.retired_by is not None
    rows = [{"prompt": messages, "tools": tools} for messages, tools in words.conversations]
    benchmark = Benchmark.objects.create(
        id=draw_id(rng, "bm"),
        workspace=workspace,
        sample=True,
        created_at=now - timedelta(days=_MADE_DAYS_AGO[words.key]),
        name=words.name,
        status="retired" if retired else "active",
        judge=judge,
        judge_name=judge.name,
        judge_model=judge.model,
        judge_instructions=judge.instructions,
        judge_dimensions=judge.dimensions,
        judge_system_prompt=judge.system_prompt,
        decoding=fix_decoding(),
        scoring=fix_scoring(judge),
        item_count=len(rows),
        items_digest=digest_items(rows),
        per_run_ceiling_cents=words.cap_cents,
        created_by=words.created_by,
        retired_at=now - timedelta(days=_RETIRED_DAYS_AGO) if retired else None,
        retired_by=words.retired_by,
        retired_reason=words.retired_reason,
    )
    # The third source was deleted since: its copy stays, without a link.
    BenchmarkItem.objects.bulk_create(
        BenchmarkItem(benchmark=benchmark, ordinal=n, source_trace=None if n == 2 else traces[words.key][n], **row)
        for n, row in enumerate(rows)
    )
    return benchmark


def _make_dataset(rng: random.Random, workspace: Workspace, traces: dict[str, list[Trace]], now: datetime) -> None:
    dataset = Dataset.objects.create(
        id=draw_id(rng, "ds"), workspace=workspace, sample=True, created_at=now - timedelta(days=200), name=DATASET
    )
    DatasetItem.objects.bulk_create(
        DatasetItem(dataset=dataset, trace=trace, ordinal=n, split="holdout" if n % 5 == 4 else "train")
        for n, trace in enumerate(traces["support"])
    )


def _make_rules(
    rng: random.Random,
    workspace: Workspace,
    benchmarks: dict[str, Benchmark],
    judges: dict[str, Judge],
    now: datetime,
) -> dict[str, Rule]:
    rules = {}
    for words in RULES:
        training, candidate, evaluation = words.cents
        rules[words.key] = Rule(
            id=draw_id(rng, "rule"),
            workspace=workspace,
            sample=True,
            created_at=now - _YEAR,
            updated_at=now - timedelta(days=30),
            name=words.name,
            serving={"kind": "deployment", "name": words.serving, "deployment_id": f"dep_{words.serving}"},
            model_id=words.model_id,
            benchmark=benchmarks[_ATTACHED[words.key]] if words.key in _ATTACHED else None,
            eval_judge=judges["sql" if words.key == "sql" else "support"],
            training_ceiling_cents=training,
            candidate_ceiling_cents=candidate,
            eval_ceiling_cents=evaluation,
            auto_promote=words.auto_promote,
            promote_margin=words.margin,
            review_window_hours=REVIEW_WINDOW // timedelta(hours=1),
        )
    Rule.objects.bulk_create(rules.values())
    return rules


def _make_runs(
    rng: random.Random,
    workspace: Workspace,
    benchmarks: dict[str, Benchmark],
    rules: dict[str, Rule],
    now: datetime,
) -> None:
    seq = take_seqs(workspace)
    runs: list[TrainingRun] = []
    events: list[RunEvent] = []
    replays: list[BenchmarkRun] = []
    evaluations: list[Evaluation] = []
    stories = tell_story(now)
    behind: list[tuple[BenchmarkRun, StoryRun]] = []
    for number, story in enumerate(stories, seq + 1):
        benchmark = benchmarks[story.leg.benchmark]
        rule = rules[story.leg.rule]
        run = build_run(rng, workspace, rule, story, stories, number, now)
        runs.append(run)
        events += build_timeline(run, story)
        evaluations.append(build_evaluation(rng, run, benchmark, story))
        if story.decision in PROMOTIONS:
            serves = story.incumbent if story.decision == "rolled_back" else story.checkpoint
            rule.serving = refer(story.rule.serving, serves)
        if story.status:
            replays.append(build_replay(rng, run, benchmark, story))
            if (story.leg.rule, story.leg.benchmark) == WITH_ROWS:
                behind.append((replays[-1], story))
    started, first_events = build_beginnings(rng, workspace, rules["router"], len(stories) + seq + 1, now)
    TrainingRun.objects.bulk_create(runs + started, batch_size=500)
    RunEvent.objects.bulk_create(events + first_events, batch_size=1000)
    BenchmarkRun.objects.bulk_create(replays, batch_size=500)
    Evaluation.objects.bulk_create(evaluations, batch_size=500)
    Rule.objects.bulk_update(rules.values(), ["serving"])
    EvaluationItem.objects.bulk_create(
        (
            item
            for evaluation, story in zip(evaluations, stories, strict=True)
            for item in build_evaluation_items(evaluation, story, story.benchmark.conversations)
        ),
        batch_size=2000,
    )
    items = list(benchmarks[WITH_ROWS[1]].items.order_by("ordinal"))
    ReplayRow.objects.bulk_create(build_rows(behind[-MOST_REPLAYS:], items), batch_size=2000)


def remove_sample() -> tuple[dict[str, int], list[str]]:
    """Delete every row of the sample workspace, in one transaction. Answers (what was removed by noun, what was kept).

    What people added stays: a rule of theirs is detached from a sample benchmark, and a sample row that their own data
    hangs on (a benchmark with replays of theirs, a conversation in a data set of theirs) becomes theirs.
    """
    kept: list[str] = []
    with transaction.atomic():
        for benchmark in Benchmark.objects.filter(sample=True, replays__sample=False).distinct():
            kept.append(f'benchmark "{benchmark.name}": it has replays of your own')
            Benchmark.objects.filter(pk=benchmark.pk).update(sample=False, judge=None)
        for agents in RunloopBenchmark.objects.filter(sample=True, runs__sample=False).distinct():
            kept.append(f'agent benchmark "{agents.name}": it has runs of your own')
            RunloopBenchmark.objects.filter(pk=agents.pk).update(sample=False)
        runs = TrainingRun.objects.filter(sample=True)
        for run in (runs.filter(replay__sample=False) | runs.filter(evaluation__sample=False)).distinct():
            kept.append(f"training run {run.seq}: it has results of your own")
            TrainingRun.objects.filter(pk=run.pk).update(sample=False)
        used = set(
            DatasetItem.objects.filter(trace__sample=True, dataset__sample=False).values_list("trace", flat=True)
        )
        if used:
            kept.append(f"{len(used)} conversations: data sets of your own use them")
            Trace.objects.filter(pk__in=used).update(sample=False)
        for rule in Rule.objects.filter(sample=False, benchmark__sample=True):
            kept.append(f'rule "{rule.name}": detached from the sample benchmark')
            Rule.objects.filter(pk=rule.pk).update(benchmark=None)
        removed: Counter[str] = Counter()
        # Runs before rules before benchmarks: a benchmark that a rule names cannot go.
        for model, noun in (
            (Evaluation, "evaluations"),
            (BenchmarkRun, "replays"),
            (TrainingRun, "training runs"),
            (Rule, "rules"),
            (Benchmark, "benchmarks"),
            (Dataset, "data sets"),
            (Trace, "conversations"),
            (Judge, "judges"),
            (RunloopRun, "agent runs"),
            (RunloopBenchmark, "agent benchmarks"),
        ):
            _, counts = model.objects.filter(sample=True).delete()
            removed[noun] += counts.get(f"service.{model.__name__}", 0)
    _removal_mark().touch()
    return {noun: count for noun, count in removed.items() if count}, kept
