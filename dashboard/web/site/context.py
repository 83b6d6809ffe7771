"""What every template knows of the person it is shown to."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

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


def permissions(request: HttpRequest) -> dict[str, object]:
    """`may`, asked only where a template asks, and `role`: the person's, or None."""
    return {"may": May(request), "role": SimpleLazyObject(lambda: access.role_of(request.user))}


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
