"""B27 and B28: queries, which are resources that are loaded with a body."""

from harness import median_of, run

QUERIES = 10_000


def b27(bench):
    def measure():
        return [float(word) for word in run(bench.script("queries.lua", "time", 200_000)).split()]

    figures, = bench.interleaved("B27", [measure])
    bench.add(
        "B27", "load_if_needed of a fresh query, beside a GET resource", median_of(figures, 0),
        median_of(figures, 1), [figure[0] / figure[1] for figure in figures], 3.0, "ns")
    bench.add_limit(
        "B27", "making an equal query of 1 KB again, from text",
        [figure[2] / 1000 for figure in figures], 5.0, "µs")
    bench.notes.append(
        f"B27: from a Lua table, which is encoded first, {median_of(figures, 3) / 1000:.1f} µs")


def b28(bench):
    queries, loads = bench.interleaved("B28", [
        lambda mode=mode: float(run(bench.script("queries.lua", mode, QUERIES)))
        for mode in ("memory", "loads")], runs=3)
    bench.add_limit(
        "B28", f"memory of each of {QUERIES:,} queries of one URL, beyond that of a resource",
        [one - other for one, other in zip(queries, loads)], 400, "B")
