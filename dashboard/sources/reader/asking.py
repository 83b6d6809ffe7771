"""What can be asked of a source: a noun with its arguments, how it is called, and what may be remembered of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, ParamSpec, TypeVar

from dashboard.sources.connect import Connection, RunloopConnection, get_connection, get_runloop_connection

T = TypeVar("T")
P = ParamSpec("P")
Source = Literal["loop", "runloop"]

FORMAT = 3
"""Raised when a record changes its meaning, so that nothing older is read as something else."""


@dataclass(frozen=True)
class Ask(Generic[T]):
    """One read. `noun` and `args` name it; `call` makes it, in whatever thread."""

    source: Source
    noun: str
    args: tuple[str | int, ...]
    call: Callable[[], T]
    type: Any = None
    """What `call` gives, for decoding what was stored; None: it is never stored."""
    about: str = ""
    """The thing asked about, such as "benchmark bm_1": a refusal of one read of it empties all of them."""
    keep: Callable[[T], T] | None = None
    """What of the value may be stored; without it all may be."""
    fresh_s: float = 0.0
    """So long an answer, or a failure, stands without asking again."""
    final: bool = False
    """True for what cannot change any more: once it is remembered it is not asked for again."""
    within_s: float | None = None
    """A page waits so long for it and no longer; None: as long as for all that it reads."""

    @property
    def connection(self) -> Connection | RunloopConnection:
        return get_runloop_connection() if self.source == "runloop" else get_connection()

    def place_in(self, scope: str) -> str:
        """Where its answer stands in the memory of this scope."""
        return digest(self.source, FORMAT, scope, self.noun, *self.args)

    @property
    def thing(self) -> str:
        """`about`, of whatever length, as the memory has it."""
        return digest(self.source, self.about) if self.about else ""


def digest(*parts: str | int) -> str:
    """64 characters that stand for these parts, of which none can run into the next."""
    text = "".join(f"{len(str(part))}:{part}" for part in parts)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
