"""What every template knows of the person it is shown to."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dashboard.sources import reader
from dashboard.sources.reader import Known
from dashboard.web.site import access, unsent


class May:
    """`may.<action>` in a template: whether to show a control. `may.key_refuses`: one was left out for the API key.

    What a person may is the one permission rule. What goes through the API also needs a key that may write: a control
    that it could only refuse is not shown, and the page says why below.
    """

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self.key_refuses = False

    def __getitem__(self, name: str) -> bool:
        if name not in access.ACTIONS:
            raise KeyError(name)
        action: access.Action = name
        if not access.may(self._request.user, action):
            return False
        if action in access.THROUGH_THE_API and not access.api_may_write():
            self.key_refuses = True
            return False
        return True


def count_waiting() -> int | None:
    """How many runs await a decision; None where it could not be read in the moment that a page has for it."""
    match reader.waiting_runs():
        case Known(value=(_, count)):
            return count
        case _:
            return None


def permissions(request: HttpRequest) -> dict[str, object]:
    """`may`, asked only where a template asks, and `role`: the person's, or None.

    `runs_waiting`: how many runs await a decision, for whoever may decide; None for others, or where it is not known.
    """
    may = May(request)
    return {
        "may": may,
        "role": SimpleLazyObject(lambda: access.role_of(request.user)),
        "runs_waiting": SimpleLazyObject(lambda: count_waiting() if may["decide"] else None),
    }


def unsent_form(request: HttpRequest) -> dict[str, object]:
    """`unsent_form`: what was typed on this page and could not be sent, None without.

    `.filled_in`: the page's form holds it already; else `.fields` lists it for copying.
    """

    def find() -> dict[str, object] | None:
        found = unsent.find(request) if request.method in unsent.SAFE else None
        if found is None:
            return None
        fields = [(name, "\n".join(values)) for name, values in found.items() if any(values)]
        return {"filled_in": hasattr(request, "unsent_taken"), "fields": fields}

    return {"unsent_form": SimpleLazyObject(find)}
