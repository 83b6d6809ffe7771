"""What every template knows of the person it is shown to."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dashboard.web import access, kept


def permissions(request: HttpRequest) -> dict[str, object]:
    """`may.<action>`: the one permission rule, asked only where a template asks. `role`: the person's, or None."""

    def ask() -> dict[str, bool]:
        return {action: access.may(request.user, action) for action in access.ACTIONS}

    return {"may": SimpleLazyObject(ask), "role": SimpleLazyObject(lambda: access.role_of(request.user))}


def kept_form(request: HttpRequest) -> dict[str, object]:
    """`kept_form`: what was typed on this page and could not be sent, None without.

    `.filled_in`: the page's form holds it already; else `.fields` lists it for copying.
    """

    def find() -> dict[str, object] | None:
        found = kept.find_kept(request)
        if found is None:
            return None
        fields = [(name, "\n".join(values)) for name, values in found["fields"].items() if any(values)]
        return {"filled_in": hasattr(request, "kept_taken"), "fields": fields}

    return {"kept_form": SimpleLazyObject(find)}
