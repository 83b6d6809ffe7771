"""Why the store does not do what was asked: a kind, a code, a sentence, and every fault of what was given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """What stands in the way."""

    INVALID = auto()
    """What was given cannot be read, whatever is stored."""
    MISSING = auto()
    """What was asked for does not exist, or belongs to another workspace: the two look the same."""
    CONFLICT = auto()
    """What is stored stands against it, and may stop to."""
    UNUSABLE = auto()
    """It can be read, and what it names cannot be used so."""


@dataclass(frozen=True)
class Fault:
    """One fault of what was given: the path of the field it concerns, and a sentence that begins with that path.

    `trace_id`: the conversation meant, where it is about one.
    """

    field: str
    code: str
    message: str
    trace_id: str | None = None


class DomainError(Exception):
    """Nothing was written. `field` is that of the first fault, "" where no field is at fault."""

    def __init__(self, kind: Kind, code: str, message: str, *, field: str = "", faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.kind, self.code, self.message = kind, code, message
        self.field = field or (faults[0].field if faults else "")
        self.faults = tuple(faults)


def not_found(what: str, *, field: str = "") -> DomainError:
    """For a `what` that is not there, or in another workspace. `field` named it, where it was not the address."""
    return DomainError(Kind.MISSING, "NOT_FOUND", f"There is no such {what} in this workspace.", field=field)


def refuse(kind: Kind, faults: Sequence[Fault], message: str | None = None) -> DomainError:
    """For these faults, of which there is at least one. `message` None: the first fault's."""
    return DomainError(kind, faults[0].code, message or faults[0].message, faults=faults)
