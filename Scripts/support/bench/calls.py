"""B3, B4 and B10: the cost of calls from and to Lua, without any request."""

import statistics

from harness import median_of, run

# For B4.
OBSERVERS = 1_000


def b3(bench):
    module = bench.compile(
        "empty_method.so", "-shared", "-fPIC", "-I/usr/include/lua5.4", source="empty_method.c")
    compare(
        bench, "B3", "load_if_needed on fresh data", 2.5, bench.options.calls,
        lambda *words: bench.script("calls.lua", module, *words), ("lull", "empty"),
        (10_000, 30_000), "call")


def b4(bench):
    compare(
        bench, "B4", f"telling one of {OBSERVERS:,} Lua observers", 1.5,
        bench.options.notifications,
        lambda *words: bench.script("notifications.lua", OBSERVERS, *words), ("observers", "pcall"),
        (20 * OBSERVERS, 60 * OBSERVERS), "notification")


def compare(bench, name, workload, goal, count, script, sides, counted, call):
    """Runs a script that does two things `count` times, alternating, and prints ns per call of
    both."""

    def measure():
        ours, theirs = run(script(count)).split()
        return float(ours), float(theirs)

    times, = bench.interleaved(name, [measure])
    bench.add(name, workload, median_of(times, 0), median_of(times, 1),
              [ours / theirs for ours, theirs in times], goal, "ns")
    if not bench.counts_instructions():
        return
    ours, theirs = [
        bench.footprint_per_call(name, lambda calls: script(calls, side), *counted)
        for side in sides]
    bench.add_footprints(call, ours, theirs)


def b10(bench):
    few, many = 100, bench.options.many

    def measure(resources):
        if bench.counts_instructions():
            return bench.instructions_per_call(
                "B10", lambda calls: bench.script("navigation.lua", resources, calls),
                2_000, 12_000)
        return float(run(bench.script("navigation.lua", resources, 200_000)))

    # Counts vary by a few per cent, because Lua seeds its hashes in every process.
    counts = bench.counts_instructions()
    ours, theirs = bench.interleaved(
        "B10", [lambda: measure(many), lambda: measure(few)], runs=1 if counts else None)
    bench.add(
        "B10", f"navigation, {many:,} resources against {few}", statistics.median(ours),
        statistics.median(theirs), [our / their for our, their in zip(ours, theirs)],
        1.1 if counts else 1.25, "instr." if counts else "ns")
