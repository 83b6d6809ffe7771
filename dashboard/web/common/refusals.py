"""A write that did not go through: what is said, where on the form, and with which status."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django import forms

from dashboard.contract import WRITE
from dashboard.sources.http.errors import NoAnswer, NotFound, OutcomeUnknown, Refused, SourceError, Unauthorized


class Refusal(Exception):
    """Our own rules say no, in a sentence for the person. `audit.record` logs it as refused, with the code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


Failure = SourceError | Refusal
"""Why a write did not go through: the service's answer or its absence, or a rule of our own."""

_INDEX = re.compile(r"\[\d+\].*$")


def place_refusal(form: forms.Form, error: Failure, fields: Mapping[str, str]) -> None:
    """Put the service's words at the field that each concerns; what concerns none stands above the form.

    `fields`: a path of the request's body, such as "source.trace_ids", -> the form's field. A fault deeper in counts
    for the nearest path above it. The form must have been validated.
    """
    if isinstance(error, Refusal):
        form.add_error(None, error.message)
        return
    faults = [fault for fault in error.details if fault.trace_id is None]
    if not faults or len(faults) < len(error.details):  # conversations in the way are summed up in the message
        form.add_error(_find_field(form, error.field, fields), explain(error))
        return
    for fault in faults:
        form.add_error(_find_field(form, fault.field, fields), fault.message)


def _find_field(form: forms.Form, path: str | None, fields: Mapping[str, str]) -> str | None:
    path = _INDEX.sub("", path or "")
    while path:
        name = fields.get(path)
        if name in form.fields:
            return name
        path = path.rpartition(".")[0]
    return None


def explain(error: Failure) -> str:
    """What to tell the person whose write this was: the service's own words where it refused."""
    if isinstance(error, NotFound):
        if error.words:
            return f"{quote(error)} Nothing was changed."
        return "The service does not have it (any more), so nothing was changed."
    if isinstance(error, Unauthorized):
        lacking = error.code == "MISSING_SCOPE" or (error.status == 403 and not error.code)
        scope = f" The key of this dashboard needs the scope {WRITE}." if lacking else ""
        return f"{quote(error)}{scope} Nothing was changed."
    if isinstance(error, OutcomeUnknown):
        return f"Outcome unknown: {error.message}"
    if isinstance(error, NoAnswer):
        return f"{error.message} Nothing was changed; what you typed is still here."
    return error.message


def quote(error: SourceError) -> str:
    """The service's own sentence, ended as one; ours where it gave none."""
    words = error.words or error.message
    return words if words.endswith((".", "!", "?")) else f"{words}."


def choose_status(error: Failure) -> int:
    """The status of the page that shows the form again: 409 and 422 for a refusal, else whose fault it is."""
    if isinstance(error, Refused):
        return 409 if error.status == 409 else 422
    if isinstance(error, NotFound | Refusal):
        return 409
    return 502 if isinstance(error, OutcomeUnknown) else 503


def focus_first_error(form: forms.Form) -> bool:
    """Have the browser put the cursor on the first field that was refused. False where none of them has a cursor.

    The summary above the form is then what is to be focused.
    """
    for name, field in form.fields.items():
        if name in form.errors and not field.widget.is_hidden:
            field.widget.attrs["autofocus"] = True
            return True
    return False
