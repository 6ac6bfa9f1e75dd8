"""B22: the cost of sharing a rate limit between processes, on one machine or on several."""

import redis_server
from harness import run


def b22(bench):
    bench.keep_state_apart()

    def measure(*words):
        plain, shared = run(bench.script("limits.lua", bench.options.admissions, *words)).split()
        return float(shared) - float(plain)

    with redis_server.started(bench, "B22") as url:
        on_machine, on_server = bench.interleaved("B22", [measure, lambda: measure(url)])
    bench.add_limit(
        "B22", "one request under a limit that processes share, beyond one under its own", on_machine,
        60, "µs")
    bench.add_limit("B22", "the same where hosts share it by a Redis server", on_server, 200, "µs")
