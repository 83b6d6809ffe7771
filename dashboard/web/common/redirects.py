"""Where a browser goes after a form was sent."""

from __future__ import annotations

from django.http import HttpResponseRedirect


class SeeOther(HttpResponseRedirect):
    """303: the next page is read, whatever the method was, and Back does not send the form again."""

    status_code = 303
