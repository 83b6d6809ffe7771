"""What the parts of the product tell each other without knowing each other."""

from django.dispatch import Signal

wrote = Signal()
"""A command on the server has changed something, or a caller with an API key has, or has tried to.

Sent after it, outside its transaction. `sender` is the command's or the view's class; `who` names a caller and is left
out by a command. `action`, `target_kind`, `target_id`, `target_name`, `outcome` ("done" when left out, "refused" or
"failed"), `code` and `message` (what changed, or why nothing did) are texts, as an audit entry has them; all but the
first may be left out.
"""
