"""The benchmarks that the browser tests look at, written into the state folder that the environment names."""

from datetime import UTC, datetime, timedelta

HOSTILE = '<img src=x onerror=alert(1)><a href="//evil.example">&amp; {{ 7*7 }}</a>'
"""A name that is markup to a browser, a link to plotly, a template to Django, an escape to who escapes twice."""

GAPS = "Every kind of gap"
HISTORY = "A long history"
OPEN = "One replay still open"
OPEN_ID = "brun_open"
HOSTILE_ID = "hostile"
"""Of the benchmark, the rule and the conversation that are hostile."""
LONG_NAME = "unbroken" * 24
LONG_NAME_ID = "unbroken"

FILED = "to be picked"
"""The source of PICKABLE conversations, of which PARCELS are about a parcel."""
PICKABLE, PARCELS = 30, 3
JUDGE = "Helpfulness, to be frozen"
RULE = "A rule to attach to"


def populate() -> None:
    from tests.factories import (
        START,
        make_benchmark,
        make_history,
        make_judge,
        make_replay,
        make_rule,
        make_run,
        make_runloop_benchmark,
        make_runloop_run,
        make_scenario_run,
        make_trace,
    )

    known = make_benchmark(GAPS)
    rule = make_rule("Nightly gaps")
    statuses = [
        "done",
        "failed",
        "done",
        "done",
        "budget_stopped",
        "abandoned",
        "done",
        "done",
        "exploded",
        "done",
        "unscored",
        "other set",
        "open",
    ]  # as test_trend_page.py says
    for number, status in enumerate(statuses):
        run = make_run(rule=rule, checkpoint_id=f"step-{number}")
        reason = None if status in ("done", "open") else f"It ended as {status}."
        candidate, incumbent = (0.5 + number / 50, 0.48) if status == "done" else (None, None)
        make_replay(
            known,
            run=run,
            status="done" if status in ("unscored", "other set") else status,
            items_digest="another" if status == "other set" else known.items_digest,
            status_reason=reason,
            created_at=START + timedelta(days=number),
            candidate_score=candidate,
            incumbent_score=incumbent,
            score_delta=round(candidate - incumbent, 4) if candidate else None,
        )

    make_history(make_benchmark(HISTORY), 250)

    still_open = make_benchmark(OPEN)
    make_history(still_open, 40, rule=rule)
    now = datetime.now(UTC)
    make_replay(still_open, id=OPEN_ID, run=make_run(rule=rule, checkpoint_id="newest"), status="open", created_at=now)

    hostile = make_benchmark(HOSTILE, id=HOSTILE_ID, items=1, judge_name=HOSTILE, judge_instructions=HOSTILE)
    hostile_rule = make_rule(HOSTILE, id=HOSTILE_ID, benchmark=hostile)
    for number, status in enumerate(["done", "failed", "done", "done"]):
        run = make_run(rule=hostile_rule, checkpoint_id=f"{HOSTILE}{number}", decision=None)
        reason = None if status == "done" else HOSTILE
        make_replay(hostile, run=run, status=status, status_reason=reason, created_at=START + timedelta(days=number))
    make_judge(HOSTILE, instructions=HOSTILE, dimensions=[{"key": HOSTILE, "description": HOSTILE}])
    said = [{"role": role, "content": HOSTILE + LONG_NAME} for role in ("user", "assistant", HOSTILE)]
    make_trace(id=HOSTILE_ID, source=HOSTILE, model=LONG_NAME, metadata={HOSTILE: LONG_NAME}, messages=said)
    make_rule(LONG_NAME, benchmark=make_benchmark(LONG_NAME, id=LONG_NAME_ID))

    runs = make_runloop_benchmark(f"{HOSTILE} again", id=HOSTILE_ID, description=HOSTILE, metadata={HOSTILE: LONG_NAME})
    for number, model in enumerate([HOSTILE, LONG_NAME] * 2):
        run = make_runloop_run(
            runs,
            id=f"{HOSTILE_ID}-{number}",
            name=HOSTILE,
            purpose=LONG_NAME,
            state=HOSTILE if number == 2 else "completed",
            metadata={"model": model, HOSTILE: HOSTILE},
            environment_variables={HOSTILE: LONG_NAME},
            secrets_provided={LONG_NAME: HOSTILE},
        )
        result = {"scoring_function_name": HOSTILE, "score": 0.75, "state": HOSTILE, "output": LONG_NAME * 20}
        contract = {"score": 0.75, "scoring_function_results": [result]}
        make_scenario_run(run, name=LONG_NAME, metadata={HOSTILE: LONG_NAME}, scoring_contract_result=contract)

    make_rule(RULE)
    make_judge(JUDGE)
    for number in range(PICKABLE):
        subject = "parcel" if number % (PICKABLE // PARCELS) == 0 else "order"
        make_trace(f"Where is {subject} {number}?", source=FILED, created_at=START + timedelta(minutes=number))


if __name__ == "__main__":
    import django

    django.setup()
    populate()
