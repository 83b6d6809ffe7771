"""What gunicorn does differently for us; `manage.py serve` names this file to it."""

import signal
from typing import Any


def post_worker_init(worker: Any) -> None:  # noqa: ARG001 - gunicorn's signature
    """Ctrl-C in a terminal reaches every process at once, and the first one tells the others to stop as well.

    The second signal would find a worker stopping its threads, and have it wait for a lock that it holds itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
