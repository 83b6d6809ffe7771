"""The tables of the pages, each in its room: Django looks for them here, and nothing else does."""

from dashboard.web.common.written_once import Unchangeable
from dashboard.web.runs.models import DecisionRecord
from dashboard.web.site.models import AuditEntry, Draft, SignInFailure
from dashboard.web.trend.models import Grouping

__all__ = ["AuditEntry", "DecisionRecord", "Draft", "Grouping", "SignInFailure", "Unchangeable"]
