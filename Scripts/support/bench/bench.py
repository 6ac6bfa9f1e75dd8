"""Measures Lull against references in the same run; see Scripts/bench, which builds first."""

import argparse
import json
import os
import signal
import sys
import tempfile
import time

import calls
import completion
import configuration
import decoding
import documents
import downloads
import growth
import in_flight
import knowing
import limits
import loads
import memory
import proving
import queries
import shared_warm
import starts
import streams
import table
import uploads
import warm
from harness import Bench, Failure

ROWS = {
    "B1": loads.b1, "B2": loads.b2, "B3": calls.b3, "B4": calls.b4, "B5": documents.b5,
    "B6": documents.b6, "B7": starts.b7, "B8": memory.b8, "B9": memory.b9, "B10": calls.b10,
    "B11": configuration.b11, "B12": in_flight.b12, "B13": warm.b13, "B14": loads.b14,
    "B15": uploads.b15, "B16": downloads.b16, "B17": streams.b17,
    "B18": completion.b18, "B20": growth.b20, "B21": decoding.b21, "B22": limits.b22,
    "B23": shared_warm.b23, "B24": proving.b24, "B25": knowing.b25, "B26": knowing.b26,
    "B27": queries.b27, "B28": queries.b28,
}

# Name, default, description.
NUMBERS = [
    ("runs", 11, "interleaved runs"),
    ("requests", 50_000, "requests of a run of B1"),
    ("sequential", 5_000, "requests of a run of B2"),
    ("multiplexed", 5_000, "requests of a run of B14"),
    ("resources", 1_000, "resources that B1, B2 and B14 load in turn"),
    ("calls", 2_000_000, "calls of a run of B3"),
    ("notifications", 2_000_000, "notifications of a run of B4"),
    ("documents", 10, "documents of a run of B5, B6 and B21"),
    ("many", 100_000, "resources of B8 and B10"),
    ("stubbed", 1_000_000, "requests of B9"),
    ("polls", 10_000, "requests in flight of B12"),
    ("admissions", 20_000, "requests of a run of B22"),
]


def parse_options():
    parser = argparse.ArgumentParser(
        prog="Scripts/bench",
        description="Measures Lull against references in the same run: medians of ratios.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=" ".join(ROWS) + "; default: all")
    for name, default, text in NUMBERS:
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{text} (default {default})")
    parser.add_argument("--instructions", choices=["auto", "yes", "no"], default="auto",
                        help="count them with valgrind, where it says something (default: if it is installed)")
    parser.add_argument("--json", metavar="FILE", help="writes the results there too")
    parser.add_argument("--lull", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [row for row in options.rows if row.upper() not in ROWS]
    if unknown:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(ROWS)}")
    for name, _, _ in NUMBERS:
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")
    options.lull = os.path.abspath(options.lull)
    return options


def main():
    options = parse_options()
    if not os.access(options.lull, os.X_OK):
        raise Failure(f"{options.lull} is not there")
    # Exclude proxies, library paths and logs of the user.
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith(("LULL_", "LUA_")):
            del os.environ[name]
    wanted = [row.upper() for row in options.rows] or list(ROWS)
    with tempfile.TemporaryDirectory(prefix="lull-bench.") as folder:
        bench = Bench(options, folder)
        seconds = {}
        try:
            for name in ROWS:
                if name in wanted:
                    started = time.monotonic()
                    ROWS[name](bench)
                    seconds[name] = time.monotonic() - started
        finally:
            # Also after an interruption, because the time was used.
            bench.progress("")
            bench.close()
            report(options, bench, seconds)


def report(options, bench, seconds):
    each = ", ".join(f"{name} {time:.0f}" for name, time in seconds.items())
    bench.notes.append(
        f"Medians of {options.runs} interleaved runs; {sum(seconds.values()):.0f} s in all ({each}).")
    if bench.rows:
        table.show(bench.rows, bench.notes)
    if options.json:
        results = {
            "runs": options.runs, "rows": bench.rows, "notes": bench.notes, "seconds": seconds}
        with open(options.json, "w") as file:
            json.dump(results, file, indent=2)
            file.write("\n")


def end(number, frame):
    """Exits through every `finally`."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    try:
        main()
    except Failure as failure:
        sys.exit(f"bench: {failure}")
