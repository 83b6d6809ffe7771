"""Makes the characters visible that a reader would not see, or that would reorder what they see."""

from __future__ import annotations

import re
import unicodedata

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

from dashboard.charts.unseen import UNSEEN

register = template.Library()

MOST_MARKS = 100
"""After so many in one text the others show as the replacement character: a mark is longer than what it stands for."""


@register.filter
def unseen(text: str) -> SafeString:
    """The text, escaped, with each such character as a small mark that names it: U+202E."""
    marked, count = UNSEEN.subn(_mark, escape(text), MOST_MARKS)  # the pattern matches nothing that escaping makes
    return SafeString(marked if count < MOST_MARKS else UNSEEN.sub("\ufffd", marked))


def _mark(found: re.Match[str]) -> str:
    name = unicodedata.name(found[0], "").lower()
    title = f' title="{name}"' if name else ""
    return f'<span class="unseen"{title}>U+{ord(found[0]):04X}</span>'
