"""Two groups of runs side by side: per checkpoint label one run of each, and what lies between their scores."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dashboard.trend.flags import Flag
from dashboard.trend.gaps import Gap
from dashboard.trend.lines import Line, Role, join
from dashboard.trend.runs import RUN_GAP_LABELS, ReadRun, RunSlot, order_run

_TOO_FAR = Flag("delta_too_large", "the difference of the two scores is larger than any number")


class Side(NamedTuple):
    """One of the two groups."""

    role: Role
    name: str
    """The value of the key that groups the runs."""

    @property
    def missing(self) -> str:
        """The kind of gap where this side has no run of a label."""
        return "no_candidate" if self.role == "candidate" else "no_baseline"


def pair_runs(runs: Iterable[ReadRun], candidate: Side, incumbent: Side) -> list[RunSlot]:
    """One slot for each label, and one for each run that no label needs, oldest to newest; each run once.

    For its label stands the newest scored run of a side, where none is scored the newest. A pair stands where its
    candidate does. `runs` are in order.
    """
    by_side: dict[str, dict[str, list[ReadRun]]] = {side.name: defaultdict(list) for side in (candidate, incumbent)}
    for run in runs:
        if run.group in by_side:
            by_side[run.group][run.label].append(run)
    of_candidate, of_incumbent = by_side[candidate.name], by_side[incumbent.name]
    slots = []
    for label in of_candidate | of_incumbent:
        ours, theirs = of_candidate.get(label, []), of_incumbent.get(label, [])
        chosen, against = _choose(ours), _choose(theirs)
        slots.append(_compare(label, (candidate, chosen), (incumbent, against)))
        slots += [_place_alone(run, candidate, chosen) for run in ours if chosen and run is not chosen]
        slots += [_place_alone(run, incumbent, against) for run in theirs if against and run is not against]
    return sorted(slots, key=lambda slot: order_run(slot.run))


def build_paired_lines(slots: Sequence[RunSlot], candidate: Side, incumbent: Side) -> list[Line]:
    """The two lines. Where a side should have had a number and has none its line breaks; what is of the other side
    alone, and no part of a comparison, breaks nothing."""
    return [
        Line(
            side.name,
            side.role,
            join(
                (slot.place, (slot.candidate if side.role == "candidate" else slot.incumbent) is not None, False)
                for slot in slots
                if slot.compared or slot.group == side.name
            ),
            side.name,
            number,
        )
        for number, side in enumerate((candidate, incumbent))
    ]


def _choose(runs: Sequence[ReadRun]) -> ReadRun | None:
    """The run that stands for its label; None without any."""
    newest = runs[-1] if runs else None
    return next((run for run in reversed(runs) if run.score is not None), newest)


def _compare(label: str, ours: tuple[Side, ReadRun | None], theirs: tuple[Side, ReadRun | None]) -> RunSlot:
    sides = [(side, run) for side, run in (ours, theirs) if run is not None]
    side, first = sides[0]
    gaps = [gap for gap in (_gap_of(*ours, label), _gap_of(*theirs, label)) if gap]
    flags = [Flag(flag.kind, f"{side.name}: {flag.text}") for side, run in sides for flag in run.flags]
    candidate, incumbent = (run.score if run else None for _, run in (ours, theirs))
    delta = None
    if candidate is not None and incumbent is not None:
        delta = candidate - incumbent
        if not math.isfinite(delta):
            delta, flags = None, [*flags, _TOO_FAR]
    return RunSlot(
        place=0,
        run=first.run,
        other=sides[1][1].run if len(sides) == 2 else None,
        group=side.name,
        group_name=side.name,
        label=label,
        gap=_join_gaps(gaps),
        flags=tuple(flags),
        candidate=candidate,
        incumbent=incumbent,
        delta=delta,
        compared=True,
        reasons=tuple(run.gap.reason if run and run.gap else "" for run in (ours[1], theirs[1])),
    )


def _place_alone(run: ReadRun, side: Side, chosen: ReadRun) -> RunSlot:
    """The slot of a run in whose stead another one of its side and label is compared."""
    why = "the newest of them that has a score" if chosen.score is not None else "the newest, for none has a score"
    said = f"of the runs of this side and label {chosen.run.id} is compared, {why}"
    gap = run.gap and run.gap._replace(reason=f"{side.name}: {run.gap.reason}")
    return RunSlot(
        place=0,
        run=run.run,
        other=None,
        group=side.name,
        group_name=side.name,
        label=run.label,
        gap=gap,
        flags=(*run.flags, Flag("not_compared", said)),
        candidate=run.score if side.role == "candidate" else None,
        incumbent=run.score if side.role == "incumbent" else None,
        delta=None,
    )


def _gap_of(side: Side, run: ReadRun | None, label: str) -> Gap | None:
    if run is None:
        return Gap(side.missing, RUN_GAP_LABELS[side.missing], f"no run of {side.name} is labelled {label}")
    return run.gap and run.gap._replace(reason=f"{side.name}: {run.gap.reason}")


def _join_gaps(gaps: Sequence[Gap]) -> Gap | None:
    """One gap for the slot: of the candidate's kind where both sides are one, with the reasons of both."""
    if len(gaps) < 2:
        return gaps[0] if gaps else None
    labels = dict.fromkeys(gap.label for gap in gaps)
    return Gap(gaps[0].kind, ", ".join(labels), "; ".join(gap.reason for gap in gaps))
