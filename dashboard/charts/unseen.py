"""Characters that a reader would not see, or that would reorder what they see; and what a reader takes for one."""

from __future__ import annotations

import re
import unicodedata

# Controls but tab and line ends, soft hyphen, zero-width space and joins of words, embeddings, overrides and isolates,
# fillers, lone surrogates, byte order marks, and tags. The joiners and the single direction marks are left alone:
# emoji, Persian and Hebrew are written with them.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u115f\u1160\u180e\u200b\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_JOINED_TO_WHAT_IS_BEFORE = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")


def name_unseen(text: str) -> str:
    """The text with each such character by its name: [U+202E]."""
    if text.isascii() and text.isprintable():
        return text
    return UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def shorten(label: str, letters: int) -> str:
    """The label, cut in the middle where it is longer than `letters`: both ends of a checkpoint's name tell.

    What a reader takes for one character, such as a picture made of several, is never cut in two.
    """
    if len(label) <= letters:
        return label
    head, tail = (letters - 1) // 2, len(label) - letters // 2
    while head and _is_joined(label, head):
        head -= 1
    while tail < len(label) and _is_joined(label, tail):
        tail += 1
    return f"{label[:head]}…{label[tail:]}"


def _is_joined(text: str, at: int) -> bool:
    """True where the characters before and after this place are one to a reader, or nearly always."""
    after = text[at]
    return text[at - 1] == "\u200d" or bool(unicodedata.combining(after) or _JOINED_TO_WHAT_IS_BEFORE.match(after))
