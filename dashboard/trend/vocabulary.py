"""A vocabulary: how one API speaks of what stands on a line. Data, so that nothing else asks which API it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dashboard.trend.scale import Scale


class Kind(NamedTuple):
    """A kind of gap: what people call it, and the name of its shape in the charts' set."""

    label: str
    shape: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of one API for its points, and what there is to know of them."""

    thing: str
    """What stands on a slot: "replay", "run"."""
    status: str
    """What its status is called."""
    scored: str
    """The only status whose numbers count (T4)."""
    scored_label: str
    """What the table says of a point with a number."""
    open: str
    """The status of what has not ended."""
    finished: str
    """What it has done that is over: "finished" without a score."""
    gaps: Mapping[str, Kind]
    """The kinds of gap that are known. Any other status is a kind of its own, shown as given (T11)."""
    reasons: Mapping[str, str]
    """Why a point of this status has no number, where the service gives no reason."""
    no_reason: str
    """The same for every other status; `{status}` in it is that status."""
    numbers: tuple[str, ...]
    """What its scores are called, the candidate's first."""
    delta: str
    """What the difference of two scores is called; it says where it was computed here (T6)."""
    group: str
    """What other lines are, as in "3 other rules"."""
    group_title: str
    """What a column of groups is called."""
    ungrouped: str
    """The name of the group that has none."""
    time: str = "time"
    bad_time: str = "could not be read"
    """What is wrong with a time that is none."""
    eras: bool = False
    """True where something serves, so that a promotion begins an era (T7)."""
    decisions: bool = False
    """True where somebody decides on a point (T7)."""
    durations: bool = False
    """True where a point says how long it took."""
    labels_repeat: bool = False
    """True where a label may be any text, so that a hover needs the id beside it."""
    page: str = ""
    """The route of a point's own page, which takes its id; "" where it has none."""
    run_page: str = ""
    """The route of the page of the run that a point stands for or is decided on; "" where it has none."""
    scale: Scale | None = None
    """The bounds of its scores; None where nobody knows them. Scores of two scales are never compared."""
    scale_note: str = ""
    """What is said beside a score that stands alone."""
    digest: str = ""
    """Of the benchmark's own set (T8); "" where it is unknown."""

    @property
    def things(self) -> str:
        return f"{self.thing}s"

    @property
    def score_names(self) -> tuple[str, ...]:
        """The scores as a sentence speaks of them: "the candidate score", or "the score" where there is but one."""
        return tuple(f"{name} score" for name in self.numbers) if len(self.numbers) > 1 else self.numbers

    def name_gap(self, kind: str) -> str:
        """A kind of gap as people read it."""
        return self.gaps[kind].label if kind in self.gaps else kind
