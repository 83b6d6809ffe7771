"""What the embedded service stores, by noun."""

from dashboard.store.models.base import Brought, Import, Owned, Workspace, new_id
from dashboard.store.models.benchmark import Benchmark, BenchmarkItem
from dashboard.store.models.conversation import Dataset, DatasetItem, SearchText, Trace, collect_text
from dashboard.store.models.evaluation import Evaluation, EvaluationItem
from dashboard.store.models.judge import Judge
from dashboard.store.models.key import ApiKey
from dashboard.store.models.replay import BenchmarkRun
from dashboard.store.models.row import ReplayRow
from dashboard.store.models.runloop import RunloopBenchmark, RunloopRow, RunloopRun, RunloopScenarioRun
from dashboard.store.models.training import Rule, RunEvent, TrainingRun

__all__ = [
    "ApiKey",
    "Benchmark",
    "BenchmarkItem",
    "BenchmarkRun",
    "Brought",
    "Dataset",
    "DatasetItem",
    "Evaluation",
    "EvaluationItem",
    "Import",
    "Judge",
    "Owned",
    "ReplayRow",
    "Rule",
    "RunEvent",
    "RunloopBenchmark",
    "RunloopRow",
    "RunloopRun",
    "RunloopScenarioRun",
    "SearchText",
    "Trace",
    "TrainingRun",
    "Workspace",
    "collect_text",
    "new_id",
]
