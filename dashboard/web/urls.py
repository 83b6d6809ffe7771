"""The pages' routes. A name in `addresses.PAGE_OF_PART` is a part of a page, not a page."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path, re_path, register_converter

from dashboard.web.common.converters import DraftId, OpaqueId
from dashboard.web.conversations import items
from dashboard.web.conversations import views as conversations
from dashboard.web.overview import views as overview
from dashboard.web.pinning import judges, review, successor
from dashboard.web.pinning import views as new_benchmark
from dashboard.web.replays import compare, grid
from dashboard.web.replays import rows as replay_rows
from dashboard.web.replays import views as replay
from dashboard.web.rules import attach, retire
from dashboard.web.rules import views as rules
from dashboard.web.runs import views as run
from dashboard.web.runs.training import answers, deciding, listing, page, records
from dashboard.web.site import health
from dashboard.web.site.audit import views as audit
from dashboard.web.site.people import views as people
from dashboard.web.site.sign_in import account
from dashboard.web.site.sign_in import views as sign_in
from dashboard.web.trend import views as trend

register_converter(DraftId, "draft_id")
register_converter(OpaqueId, "id")

LOOP, RUNLOOP = {"source": "loop"}, {"source": "runloop"}

urlpatterns: list[URLPattern] = [
    path("", overview.overview, name="overview"),
    path("rows/", overview.rows, name="rows"),
    path("benchmarks/new/", new_benchmark.start, name="new-benchmark"),
    path("benchmarks/new/<draft_id:draft_id>/", new_benchmark.edit, name="new-benchmark-draft"),
    path("benchmarks/new/<draft_id:draft_id>/review/", review.show_review, name="review"),
    path("judges/new/", judges.start, name="new-judge"),
    path("judges/new/<draft_id:judge_draft_id>/", judges.edit, name="new-judge-draft"),
    path("benchmarks/<id:benchmark_id>/", trend.show_trend, LOOP, name="trend"),
    path("benchmarks/<id:benchmark_id>/region/", trend.show_region, LOOP, name="trend-region"),
    path("benchmarks/<id:benchmark_id>/figure.json", trend.give_figure, LOOP, name="trend-figure"),
    path("benchmarks/<id:benchmark_id>/items/", items.show_items, name="items"),
    path("benchmarks/<id:benchmark_id>/retire/", retire.show_retire, name="retire"),
    path("benchmarks/<id:benchmark_id>/successor/", successor.start_successor, name="successor"),
    path("benchmarks/<id:benchmark_id>/attach/", attach.show_attach, name="attach"),
    path("benchmarks/<id:benchmark_id>/grid/", grid.show_grid, name="grid"),
    path("benchmarks/<id:benchmark_id>/grid/<int:ordinal>/", grid.show_item_history, name="grid-item"),
    path("replays/<id:replay_id>/", replay.show_replay, name="replay"),
    path("replays/<id:replay_id>/rows/", replay_rows.show_rows, name="replay-rows"),
    path("compare/", compare.show_comparison, name="compare"),
    path("conversations/<id:trace_id>/", conversations.show_conversation, name="conversation"),
    path("rules/", rules.list_rules, name="rules"),
    path("rules/<id:rule_id>/", rules.show_rule, name="rule"),
    path("runloop/benchmarks/<id:benchmark_id>/", trend.show_run_trend, RUNLOOP, name="run-trend"),
    path("runloop/benchmarks/<id:benchmark_id>/region/", trend.show_region, RUNLOOP, name="run-trend-region"),
    path("runloop/benchmarks/<id:benchmark_id>/figure.json", trend.give_figure, RUNLOOP, name="run-trend-figure"),
    path("runloop/runs/<id:run_id>/", run.show_run, name="run"),
    path("runloop/runs/<id:run_id>/environment/", run.show_environment, name="run-environment"),
    path("runs/", listing.list_training_runs, name="runs"),
    path("runs/<id:run_id>/", page.show_training_run, name="training-run"),
    path("runs/<id:run_id>/answers/", answers.show_answers, name="run-answers"),
    path("runs/<id:run_id>/decide/<slug:action>/", deciding.show_decision, name="decide"),
    path("records/<slug:record_id>/", records.show_record, name="record"),
    path("people/", people.show_people, name="people"),
    path("people/<int:person_id>/role/", people.change_role, name="person-role"),
    path("people/<int:person_id>/active/", people.set_active, name="person-active"),
    path("people/<int:person_id>/link/", people.make_link, name="person-link"),
    path("audit/", audit.show_audit, name="audit"),
    re_path(r"^audit/export\.(?P<kind>csv|jsonl)$", audit.export_audit, name="audit-export"),
    path("account/password/", account.ChangePassword.as_view(), name="password"),
    path("sign-in/", sign_in.SignIn.as_view(), name="sign-in"),
    path("sign-in/link/", sign_in.use_link, name="sign-in-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
