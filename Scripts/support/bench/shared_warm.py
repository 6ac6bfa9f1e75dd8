"""B23: loading an entity from the shared server, compared with a cache file."""

import os
import statistics

import redis_server
from harness import Failure, run

RESOURCES = 2_000


def b23(bench):
    bench.keep_state_apart()

    def measure(expected, *cache):
        before = bench.server.counts()[1]
        elapsed = float(
            run(bench.script("shared_warm.lua", bench.server.url, RESOURCES, *cache)))
        # The following query is counted too.
        served = bench.server.counts()[1] - before - 1
        if served != expected:
            raise Failure(f"B23: {served} requests came instead of {expected}")
        return elapsed

    with redis_server.started(bench, "B23") as url:
        file = [os.path.join(bench.folder, "b23.db")]
        server = [os.path.join(bench.folder, "b23-shared.db"), url]
        for cache in (file, server):
            measure(RESOURCES, *cache)
        shared, local = bench.interleaved(
            "B23", [lambda: measure(0, *server), lambda: measure(0, *file)])
    bench.add(
        "B23", "a resource from the cache that hosts share by a Redis server; from a cache file",
        statistics.median(shared), statistics.median(local),
        [one / other for one, other in zip(shared, local)], 3.0, "µs")
