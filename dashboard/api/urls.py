"""The embedded service's routes: the Loop API under /api/, the Runloop API under /v1/."""

from django.urls import URLPattern, path, re_path, register_converter
from drf_spectacular.views import SpectacularAPIView

from dashboard.api.http.middleware import answer_unknown_route
from dashboard.api.loop import account, benchmarks, decisions, evaluations, rows, sources, training
from dashboard.api.runloop import views as runloop


class OpaqueIdConverter:
    """Any id, whatever it holds: a "/" in it may arrive encoded or bare. NUL is in no id; such a path is no route."""

    regex = r"[^\0]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(OpaqueIdConverter, "opaque")

# A longer route stands before the one that its beginning would match too.
urlpatterns: list[URLPattern] = [
    path("api-keys/introspect", account.Introspect.as_view()),
    path("loop/benchmarks", benchmarks.BenchmarkList.as_view()),
    path("loop/benchmarks/<opaque:benchmark_id>/items", benchmarks.BenchmarkItems.as_view()),
    path("loop/benchmarks/<opaque:benchmark_id>/history", benchmarks.BenchmarkHistory.as_view()),
    path("loop/benchmarks/<opaque:benchmark_id>/retire", benchmarks.BenchmarkRetire.as_view()),
    path("loop/benchmarks/<opaque:benchmark_id>", benchmarks.BenchmarkDetail.as_view(), name="loop-benchmark"),
    path("loop/benchmark-runs/<opaque:benchmark_run_id>/items", rows.BenchmarkRunItems.as_view()),
    path("loop/benchmark-runs/<opaque:benchmark_run_id>", benchmarks.BenchmarkRunDetail.as_view()),
    path("loop/training-rules", training.TrainingRuleList.as_view()),
    path("loop/training-rules/<opaque:rule_id>/benchmark", training.TrainingRuleBenchmark.as_view()),
    path("loop/training-rules/<opaque:rule_id>", training.TrainingRuleDetail.as_view()),
    path("loop/training-runs", training.TrainingRunList.as_view()),
    path("loop/training-runs/<opaque:run_id>/promote", decisions.TrainingRunPromote.as_view()),
    path("loop/training-runs/<opaque:run_id>/reject", decisions.TrainingRunReject.as_view()),
    path("loop/training-runs/<opaque:run_id>/rollback", decisions.TrainingRunRollback.as_view()),
    path("loop/training-runs/<opaque:run_id>/cancel", decisions.TrainingRunCancel.as_view()),
    path("loop/training-runs/<opaque:run_id>", training.TrainingRunDetail.as_view()),
    path("loop/evaluations/<opaque:evaluation_id>/items", evaluations.EvaluationItems.as_view()),
    path("loop/evaluations/<opaque:evaluation_id>", evaluations.EvaluationDetail.as_view(), name="loop-evaluation"),
    path("loop/judges", sources.JudgeList.as_view()),
    path("loop/traces", sources.TraceList.as_view()),
    path("loop/traces/<opaque:trace_id>", sources.TraceDetail.as_view(), name="loop-trace"),
    path("loop/import", sources.ConversationImport.as_view()),
    path("loop/datasets", sources.DatasetList.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    re_path("", answer_unknown_route),
]

runloop_urlpatterns: list[URLPattern] = [
    path("benchmarks", runloop.RunloopBenchmarkList.as_view()),
    path("benchmarks/<opaque:runloop_benchmark_id>", runloop.RunloopBenchmarkDetail.as_view()),
    path("benchmark_runs", runloop.RunloopRunList.as_view()),
    path("benchmark_runs/<opaque:runloop_run_id>/scenario_runs", runloop.ScenarioRunList.as_view()),
    path("benchmark_runs/<opaque:runloop_run_id>", runloop.RunloopRunDetail.as_view()),
    re_path("", answer_unknown_route),
]
