"""Histories to measure, written into the state folder that the environment names. Prints their ids as JSON."""

import json
import sys
from typing import Any

GAP_EVERY = 20  # 5 % of the replays have no score


def add_histories(lengths: list[int]) -> dict[int, str]:
    """The id of a new benchmark for each length, with so many replays."""
    from tests.factories import make_benchmark, make_history

    ids: dict[int, str] = {}
    for length in lengths:
        benchmark = make_benchmark(f"{length} replays")
        make_history(benchmark, length, gap_every=GAP_EVERY)
        ids[length] = benchmark.pk
    return ids


def add_many(count: int, replays: int) -> None:
    """So many benchmarks with so many replays each."""
    from tests.factories import make_benchmark, make_history

    for number in range(count):
        make_history(make_benchmark(f"Benchmark {number:03}"), replays, gap_every=GAP_EVERY)


def main(arguments: list[str]) -> Any:
    import django

    django.setup()
    if arguments[0] == "many":
        return add_many(int(arguments[1]), int(arguments[2]))
    return add_histories([int(argument) for argument in arguments])


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1:])))
