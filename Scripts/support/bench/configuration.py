"""B11: the cost of many configuration blocks."""

import statistics

from harness import median_of, run

BLOCKS = 100
RESOURCES = 10_000
# For counting instructions, which is slow.
COUNTED = 100


def b11(bench):
    def measure():
        return [float(word) for word in run(
            bench.script("configuration.lua", RESOURCES, BLOCKS)).split()]

    runs, = bench.interleaved("B11", [measure], runs=3)
    bench.add_limit(
        "B11", "runs of a block per resource and version", [run[2] for run in runs], 1.0, "")
    one, many = median_of(runs, 0), median_of(runs, 1)
    bench.notes.append(
        f"B11: {RESOURCES:,} resources; computing a configuration of {BLOCKS} blocks takes "
        f"{many / 1e3:.1f} µs, of 1 block {one / 1e3:.2f} µs: {(many - one) / (BLOCKS - 1):.0f} ns a "
        "block, its Lua function included")
    if not bench.counts_instructions():
        return

    def accesses(blocks):
        per_pass = bench.instructions_per_call(
            "B11", lambda passes: bench.script("configuration.lua", COUNTED, blocks, passes),
            20, 120)
        return per_pass / COUNTED

    # Counts vary by a few per cent, because Lua seeds its hashes in every process.
    ours, theirs = bench.interleaved(
        "B11", [lambda: accesses(BLOCKS), lambda: accesses(1)], runs=3)
    bench.add(
        "B11", f"a further access, {BLOCKS} blocks against 1", statistics.median(ours),
        statistics.median(theirs), [our / their for our, their in zip(ours, theirs)], 1.1, "instr.")
