"""`csrf_token`, as Django's own, and with it the mark of whose form it is: no form can forget the one for the other."""

from __future__ import annotations

from django import template
from django.middleware.csrf import get_token
from django.template import RequestContext
from django.utils.html import format_html

from dashboard.web.site.unsent import FIELD, mark_form

register = template.Library()


@register.simple_tag(takes_context=True)
def csrf_token(context: RequestContext) -> str:
    """The hidden fields that every form needs."""
    request = context["request"]
    token = format_html('<input type="hidden" name="csrfmiddlewaretoken" value="{}">', get_token(request))
    mark = mark_form(request)
    return format_html('{}<input type="hidden" name="{}" value="{}">', token, FIELD, mark) if mark else token
