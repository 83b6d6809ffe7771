"""What the parts of the product tell each other without knowing each other."""

from django.dispatch import Signal

command_wrote = Signal()
"""A command on the server has changed something: sent after it did, outside its transaction, by any part.

`sender` is the command's class; `action`, `target_kind`, `target_id`, `target_name` and `message` (what changed) are
texts, as an audit entry has them, and all but the first may be left out.
"""
