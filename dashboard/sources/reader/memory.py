"""The last good answers, in the database, so that every process has them.

It may fail: a memory that is locked, full, damaged or read-only costs what it remembered and nothing else. Only what
has to be forgotten is not given up: until that is done, nothing is remembered.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from django.db import Error, connection, models, transaction

from dashboard.sources.http.errors import NotFound, Refused, SourceError, Unauthorized
from dashboard.sources.models import Remembered
from dashboard.sources.reader.asking import Ask, Source
from dashboard.sources.runloop.wire import Listed

T = TypeVar("T")
logger = logging.getLogger(__name__)

MOST_ROWS = 2_000
MOST_BYTES = 256 * 2**20
MOST_BYTES_OF_ONE = 32 * 2**20
SEEN_EVERY = timedelta(minutes=1)
"""An answer that did not change is noted as seen at most so often."""
LOCK_WAITS_MS = 250
"""A page waits no longer than this for a database that somebody else writes to."""


@dataclass(frozen=True)
class Asked:
    """An ask and where its answer stands."""

    ask: Ask[Any]
    scope: str
    place: str


@dataclass(frozen=True)
class Landing:
    """What came of one call of a source."""

    asked: Asked
    value: Any = None
    failure: SourceError | None = None
    locked_out: bool = False
    """True where the source refused this read and would not say either whose key it is."""
    fault: BaseException | None = None
    """What broke on our side, to be raised to who waits."""


@dataclass(frozen=True)
class Part:
    """A part of the memory: what is at this place and about this thing; with neither all of the scope."""

    source: Source
    scope: str
    place: str = ""
    about: str = ""

    def covers(self, asked: Asked) -> bool:
        if (asked.ask.source, asked.scope) != (self.source, self.scope):
            return False
        whole = not (self.place or self.about)
        return whole or asked.place == self.place or bool(self.about and asked.ask.thing == self.about)

    @property
    def rows(self) -> models.Q:
        which = models.Q(place=self.place) if self.place else models.Q()
        which |= models.Q(about=self.about) if self.about else models.Q()
        return models.Q(source=self.source, scope=self.scope) & which


@dataclass(frozen=True)
class Head:
    """What is remembered of a read, without its body."""

    digest: str
    read_at: datetime
    whole: bool


_owed: list[models.Q] = []
_scopes: dict[Source, str] = {}
_lock = threading.Lock()


def enter(source: Source, scope: str) -> None:
    """From now on this source is read so: what another key, workspace or address said leaves the memory."""
    with _lock:
        before = _scopes.get(source)
        _scopes[source] = scope
    if before != scope:
        forget(models.Q(source=source) & ~models.Q(scope=scope))


def look(places: Collection[str]) -> dict[str, Head]:
    """What is remembered of these, as far as there is anything, without reading it."""
    if not places or not _pay():
        return {}
    rows = Remembered.objects.filter(place__in=places).values_list("place", "digest", "read_at", "whole")
    found = _try("The memory cannot be read", lambda: list(rows), otherwise=None) or []
    return {place: Head(digest, read_at, whole) for place, digest, read_at, whole in found}


def recall(asked: Iterable[Asked]) -> dict[str, tuple[Any, datetime]]:
    """What is remembered of these, by place, each with when it was read. What cannot be decoded is forgotten."""
    types = {one.place: one.ask.type for one in asked}
    if not types or not _pay():
        return {}
    rows = Remembered.objects.filter(place__in=types).values_list("place", "read_at", "body")
    bodies: list[tuple[str, datetime, Any]] = _try("The memory cannot be read", lambda: list(rows), otherwise=[])
    found, damaged = {}, []
    for place, read_at, body in bodies:
        try:
            found[place] = msgspec.msgpack.decode(body, type=types[place]), read_at
        except msgspec.MsgspecError:
            damaged.append(place)
    if damaged:
        logger.warning("%d remembered answers could not be read and are forgotten", len(damaged))
        forget(models.Q(place__in=damaged))
    return found


def store(landings: Iterable[Landing], heads: Mapping[str, Head] | None = None) -> None:
    """Store what came, where it changed. `heads`: of `look`, to save looking again."""
    good = [one for one in landings if one.failure is None and one.asked.ask.type is not None]
    if good:
        _store(good, look([one.asked.place for one in good]) if heads is None else heads)


def find_refused(one: Landing) -> Part | None:
    """What a refusal empties; None where this was no refusal."""
    failure, asked = one.failure, one.asked
    if isinstance(failure, Unauthorized) and (failure.status == 401 or one.locked_out):
        return Part(asked.ask.source, asked.scope)
    if isinstance(failure, Unauthorized | NotFound):
        return Part(asked.ask.source, asked.scope, asked.place, asked.ask.thing)
    return Part(asked.ask.source, asked.scope, asked.place) if isinstance(failure, Refused) else None


def forget(*which: models.Q) -> None:
    """Forget these rows, as they are now; where that cannot be done at once, before anything else is remembered."""
    now = datetime.now(UTC)
    with _lock:
        _owed.extend(one & models.Q(read_at__lte=now) for one in which)
    _pay()


def forget_all() -> tuple[int, int]:
    """Empty the memory: how many answers that were, and how many bytes. Raises the database's errors."""
    with transaction.atomic():
        size = Remembered.objects.aggregate(size=models.Sum("size"))["size"] or 0
        count, _ = Remembered.objects.all().delete()
    return count, size


def _store(landings: list[Landing], heads: Mapping[str, Head]) -> None:
    now = datetime.now(UTC)
    rows: dict[str, Remembered] = {}
    seen: list[str] = []
    for one in landings:
        asked, head = one.asked, heads.get(one.asked.place)
        whole = not (isinstance(one.value, Listed) and one.value.cut)
        if head and head.whole and not whole:
            continue
        body = _pack(asked.ask.keep, one.value)
        if body is None:
            continue
        digest = sha256(body).hexdigest()
        if head is None or head.digest != digest:
            rows[asked.place] = Remembered(
                place=asked.place,
                source=asked.ask.source,
                scope=asked.scope,
                about=asked.ask.thing,
                digest=digest,
                size=len(body),
                whole=whole,
                read_at=now,
                body=body,
            )
        elif now - head.read_at >= SEEN_EVERY:
            seen.append(asked.place)
    if not rows and not seen:
        return

    def write() -> None:
        if seen:
            Remembered.objects.filter(place__in=seen).update(read_at=now)
        if rows:
            fields = [field.name for field in Remembered._meta.concrete_fields if not field.primary_key]
            Remembered.objects.bulk_create(
                [rows[place] for place in sorted(rows)],  # in one order, or two who write could wait for each other
                update_conflicts=True,
                unique_fields=["place"],
                update_fields=fields,
            )
            _make_room()

    _try("What was read could not be remembered", write, otherwise=None, writes=True)


def _pack(keep: Callable[[Any], Any] | None, value: Any) -> bytes | None:
    """The value as it is stored; None where it cannot be."""
    try:
        body = msgspec.msgpack.encode(keep(value) if keep else value)
    except (OverflowError, ValueError, TypeError):  # such as a whole number beyond 64 bits, which JSON has
        logger.warning("An answer holds what cannot be kept", exc_info=True)
        return None
    if len(body) > MOST_BYTES_OF_ONE:
        logger.warning("An answer of %d bytes is too large to be kept", len(body))
        return None
    return body


def _make_room() -> None:
    """Let the oldest go where there is too much."""
    have = Remembered.objects.aggregate(rows=models.Count("place"), size=models.Sum("size"))
    if have["rows"] <= MOST_ROWS and have["size"] <= MOST_BYTES:
        return
    kept = size = 0
    gone: list[str] = []
    for place, bytes_of_one in Remembered.objects.order_by("-read_at", "place").values_list("place", "size"):
        size += bytes_of_one
        if kept < MOST_ROWS and size <= MOST_BYTES:
            kept += 1
        else:
            gone.append(place)
    Remembered.objects.filter(place__in=gone).delete()


def _pay() -> bool:
    """Forget what is still owed. False while that cannot be done."""
    with _lock:
        owed = list(_owed)
    if not owed:
        return True
    which = models.Q()
    for one in owed:
        which |= one
    rows = Remembered.objects.filter(which)
    what = "What has to be forgotten could not be"
    # It is asked first, for a write waits for other writers.
    left = _try(what, rows.exists, otherwise=None)
    if left is None or (left and _try(what, rows.delete, otherwise=None, writes=True) is None):
        return False
    with _lock:
        _owed[:] = [one for one in _owed if one not in owed]
    return True


def _try(what: str, work: Callable[[], T], *, otherwise: T, writes: bool = False) -> T:
    """What `work` gives. Where the database refuses, that is logged as `what` and it is `otherwise`.

    Inside a transaction of the caller a savepoint keeps it whole. Outside one, reading takes no lock, and writing waits
    for one no longer than `LOCK_WAITS_MS`.
    """
    try:
        with _waiting_briefly(writes):
            return work()
    except Error as error:
        logger.warning("%s: %s", what, error)
        return otherwise


@contextmanager
def _waiting_briefly(writes: bool) -> Iterator[None]:
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
    elif not writes:
        yield
    elif connection.vendor == "sqlite":
        before = connection.settings_dict["OPTIONS"].get("timeout", 5)
        _execute(f"PRAGMA busy_timeout = {LOCK_WAITS_MS}")
        try:
            with transaction.atomic():
                yield
        finally:
            _execute(f"PRAGMA busy_timeout = {int(before * 1000)}")
    else:
        with transaction.atomic():
            _execute(f"SET LOCAL lock_timeout = {LOCK_WAITS_MS}")
            yield


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
