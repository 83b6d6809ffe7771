"""One of two processes that race: `python -m tests.api.racer`, with DATABASE_URL naming the tests' database.

Each line on stdin is a call, {"method", "path", "body", "at"}: it is made at that second of the clock, in this process,
as the default workspace. Each line on stdout is its outcome, {"status", "code", "body", "started", "ended"}.
"""

import json
import os
import sys
import time

import django
from django.test import Client

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()


def main() -> None:
    who = {"SERVER_NAME": "localhost", "benchtrend.workspace": "ws_local", "benchtrend.actor": "racer"}
    client = Client(raise_request_exception=False, **who)
    client.get("/api/loop/benchmarks")  # everything is loaded and connected before the first race
    print("ready", flush=True)
    for line in sys.stdin:
        call = json.loads(line)
        while (started := time.time()) < call["at"]:
            pass
        answer = getattr(client, call["method"])(call["path"], json.dumps(call["body"]), "application/json")
        ended = time.time()
        body = answer.json()
        code = body.get("error", {}).get("code")
        outcome = {"status": answer.status_code, "code": code, "body": body, "started": started, "ended": ended}
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
