"""B8 and B9: memory per resource, and whether it grows with the number of requests."""

import statistics

from harness import Failure, run

CONTENT = 200
# For B9: loads between two measurements of memory, and loads before the first one.
INTERVAL = 10_000
SETTLING = 50_000


def b8(bench):
    count = bench.options.many
    unheld, held = bench.interleaved("B8", [
        lambda: float(run(bench.script("kept.lua", count, "unheld"))) - CONTENT,
        lambda: float(run(bench.script("kept.lua", count, "held"))) - CONTENT], runs=3)
    bench.add_limit(
        "B8", f"memory of each of {count:,} resources", unheld, 1536, "B")
    bench.notes.append(
        f"B8: beyond the {CONTENT} bytes of content; {statistics.median(held):,.0f} B each while the "
        "script holds them all; medians of 3 runs")


def b9(bench):
    count = bench.options.stubbed
    bench.progress(f"B9: {count:,} requests")
    samples = [int(line) for line in run(bench.script("stubbed.lua", count, INTERVAL)).split()]
    bench.progress("")
    if len(samples) != count // INTERVAL:
        raise Failure(f"B9: {len(samples)} samples instead of {count // INTERVAL}")
    start, *later = samples[SETTLING // INTERVAL - 1:]
    if not later:
        raise Failure(f"B9: needs more than {SETTLING:,} requests")
    change = max(abs(sample - start) for sample in later) / start * 100
    bench.add_limit("B9", f"change of memory over {count:,} loads", [change], 5.0, "%")
    bench.notes.append(
        f"B9: resident after {SETTLING:,} loads {start / 1e6:.1f} MB, later between "
        f"{min(later) / 1e6:.1f} and {max(later) / 1e6:.1f} MB, at the end {samples[-1] / 1e6:.1f} MB; "
        f"one run, a look every {INTERVAL:,} loads")
