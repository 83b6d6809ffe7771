"""What can go wrong between us and an API, as one tree.

    SourceError
    ├── NoAnswer              nothing usable came back: what was read before may be shown, with its age
    │   ├── Unreachable       no connection: refused, unknown host, bad certificate, unusable proxy
    │   ├── TimedOut          the call's deadline passed before the answer was complete
    │   ├── TooLarge          the answer, or the list behind it, is larger than we read
    │   ├── UnreadableAnswer  cut off, not JSON, not the agreed shape, or a redirect that we do not follow
    │   ├── RateLimited       429 for longer than the deadline allows; `retry_at` says until when
    │   └── ServerFault       5xx
    ├── Unauthorized          401 or 403: the key is missing, wrong or lacks the scope
    ├── NotFound              404: there is no such thing in this workspace
    ├── Refused               any other 4xx, in the service's own words; `field` and `details` say what it concerns
    └── OutcomeUnknown        a write was sent and no answer says whether it was done: look it up, never send it again

The left-hand names are final for callers; catch `SourceError` to catch all of them. No library's exception passes this
package: each is the `__cause__` of one of these. A message is one short sentence that names the route, and never holds
a body, a host or a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class FieldFault:
    """One thing that is wrong with what was sent, in the service's words."""

    field: str
    """The path of the field, such as "name", "source.trace_ids" or "dimensions[2].key"."""
    code: str
    message: str
    trace_id: str | None = None
    """The conversation that is at fault, where it is one."""


class SourceError(Exception):
    """One call to an API did not give an answer that can be used."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
        retry_at: datetime | None = None,
        field: str | None = None,
        details: tuple[FieldFault, ...] = (),
        words: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        """One short sentence. For `Refused` it is the service's own, where it gave one."""
        self.status = status
        """The HTTP status, None when there was no answer."""
        self.code = code
        """The service's own code, such as "BENCHMARK_RETIRED", None when it gave none."""
        self.request_id = request_id
        """The service's id for the call, to be quoted to whoever runs it."""
        self.retry_at = retry_at
        """When another try makes sense (UTC), None when nothing is known."""
        self.field = field
        """The field of the request that a refusal (also a 404 or 409) concerns, None when it names none."""
        self.details = details
        """Every fault that a refusal names; empty when it names none."""
        self.words = words
        """The service's own short sentence, None when it gave none."""


class NoAnswer(SourceError):
    """Nothing usable came back. What was read before is still the best that is known."""


class Unreachable(NoAnswer):
    """No connection could be made."""


class TimedOut(NoAnswer):
    """The deadline of the call passed before the answer was complete."""


class TooLarge(NoAnswer):
    """The answer, or the list behind it, is larger than we read."""


class UnreadableAnswer(NoAnswer):
    """An answer began, but it is cut off, not JSON, or not the shape that was agreed."""


class RateLimited(NoAnswer):
    """429: too many calls. `retry_at` is when the service wants to be asked again."""


class ServerFault(NoAnswer):
    """5xx: the service failed."""


class Unauthorized(SourceError):
    """401 or 403: the key is missing, wrong, or lacks the scope."""


class NotFound(SourceError):
    """404: there is no such thing, or it is another workspace's."""


class Refused(SourceError):
    """Any other 4xx: the service understood and said no, in its own words."""


class OutcomeUnknown(SourceError):
    """A write left us and no answer that can be read came back: it may have been done. Its `__cause__` says why.

    Look it up, and leave it to a person to send it again.
    """
