"""B13: resources in the cache file of an earlier process, compared with one request each."""

import os
import statistics

from harness import Failure, run

RESOURCES = 1_000


def b13(bench):
    file = os.path.join(bench.folder, "cache.db")

    def measure(file, expected):
        before = bench.server.counts()[1]
        elapsed = float(run(bench.script("warm.lua", bench.server.url, RESOURCES, file)))
        # The following query is counted too.
        served = bench.server.counts()[1] - before - 1
        if served != expected:
            raise Failure(f"B13: {served} requests came instead of {expected}")
        return elapsed * 1e3

    measure(file, RESOURCES)
    warm, cold = bench.interleaved(
        "B13", [lambda: measure(file, 0), lambda: measure("", RESOURCES)])
    bench.add(
        "B13", f"{RESOURCES:,} resources from a cache file against requests",
        statistics.median(warm), statistics.median(cold),
        [one / other for one, other in zip(warm, cold)], 1.0, "ms")
