"""Makes the characters visible that a reader would not see, or that would reorder what they see."""

from __future__ import annotations

import re
import unicodedata

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

register = template.Library()

# Controls but tab and line ends, soft hyphen, zero-width space and joins of words, embeddings, overrides and isolates,
# fillers, lone surrogates, byte order marks, and tags. The joiners and the single direction marks are left alone:
# emoji, Persian and Hebrew are written with them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u115f\u1160\u180e\u200b\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


MOST_MARKS = 100
"""After so many in one text the others show as the replacement character: a mark is longer than what it stands for."""


@register.filter
def unseen(text: str) -> SafeString:
    """The text, escaped, with each such character as a small mark that names it: U+202E."""
    marked, count = _UNSEEN.subn(_mark, escape(text), MOST_MARKS)  # the pattern matches nothing that escaping makes
    return SafeString(marked if count < MOST_MARKS else _UNSEEN.sub("\ufffd", marked))


def _mark(found: re.Match[str]) -> str:
    name = unicodedata.name(found[0], "").lower()
    title = f' title="{name}"' if name else ""
    return f'<span class="unseen"{title}>U+{ord(found[0]):04X}</span>'
