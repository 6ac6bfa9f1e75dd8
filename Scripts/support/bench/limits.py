"""B22: what it costs that processes share a rate limit."""

import os

from harness import run


def b22(bench):
    # A file of limits of its own.
    os.environ["XDG_STATE_HOME"] = bench.folder

    def measure():
        plain, shared = run(bench.script("limits.lua", bench.options.admissions)).split()
        return float(shared) - float(plain)

    costs, = bench.interleaved("B22", [measure])
    bench.add_limit(
        "B22", "one request under a limit that processes share, beyond one under its own", costs,
        60, "µs")
