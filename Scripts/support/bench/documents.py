"""B5 and B6: a large JSON document over the network, compared with a C program using libcurl and
lua-cjson."""

import json
import os
import random
import statistics

from harness import Failure, median_of, run

ELEMENTS = 20_000
SIZE = 3_600_000
# Loads before timing starts.
WARM_UP = 3


def b5(bench):
    measure_documents(
        bench, "B5", "large JSON, one field of one element read", "read", 4)


def b6(bench):
    measure_documents(bench, "B6", "large JSON, every field visited", "visit", 1.3)


def write_document(folder):
    """Writes an array of objects as typical APIs return them. The bytes are the same in every
    run."""
    chance = random.Random(5)
    elements = []
    for number in range(1, ELEMENTS + 1):
        elements.append({
            "id": number, "name": f"Volcán {number}", "status": chance.choice(["active", "dormant"]),
            "position": {"lat": chance.randint(-90_000, 90_000) / 1000,
                         "lon": chance.randint(-180_000, 180_000) / 1000},
            "elevation": chance.randint(-4_000, 6_900), "monitored": chance.random() < 0.5,
            "last": None if chance.random() < 0.2 else chance.randint(1, 2026),
            "tags": chance.sample(["shield", "caldera", "island", "submarine"], 2), "note": ""})
    separators = (",", ":")

    def length(elements):
        return len(json.dumps(elements, ensure_ascii=False, separators=separators).encode())

    # The notes fill it up to its size.
    lacking = SIZE - length(elements)
    for number, element in enumerate(elements):
        element["note"] = "x" * (lacking // ELEMENTS + (number < lacking % ELEMENTS))
    text = json.dumps(elements, ensure_ascii=False, separators=separators).encode()
    if lacking < 0 or len(text) != SIZE:
        raise Failure(f"the document came to {len(text)} bytes")
    path = os.path.join(folder, "large.json")
    with open(path, "wb") as file:
        file.write(text)
    return path


def measure_documents(bench, name, workload, what, goal):
    decode = bench.compile(
        "decode", "-I/usr/include/lua5.4", libraries=["-lcurl", "-llua5.4"])
    path = write_document(bench.folder)
    loads = bench.options.documents
    url = bench.server.url

    def measure(words):
        before = bench.server.counts()
        wall, cpu, seen = run(words).split()
        after = bench.server.counts()
        # Subtract the first of the two queries of the counts, which is included.
        return {"wall": float(wall), "cpu": float(cpu), "seen": seen,
                "connections": after[0] - before[0] - 1, "served": after[1] - before[1] - 1}

    def compare(source, served, *words):
        ours = bench.script("documents.lua", *words)
        theirs = [decode, bench.file("decode.lua"), *map(str, words)]
        results = bench.interleaved(name, [lambda: measure(ours), lambda: measure(theirs)])
        everything = results[0] + results[1]
        if {run["served"] for run in everything} != {served}:
            raise Failure(f"{name}: requests served: {[run['served'] for run in everything]}")
        if {run["connections"] for run in everything} != {min(served, 1)}:
            raise Failure(f"{name}: more than one connection was opened")
        if len({run["seen"] for run in everything}) != 1:
            raise Failure(f"{name}: the two sides have read different things from {source}")
        return results

    def ratios(results):
        return [theirs["wall"] / ours["wall"] for ours, theirs in zip(*results)]

    def milliseconds(runs):
        return median_of(runs, "wall") / loads * 1e3

    results = compare("the network", loads + WARM_UP + 1, what, url, loads, WARM_UP)
    alone = compare("memory", 0, what, path, loads, WARM_UP)
    cpu = statistics.median(
        [ours["cpu"] / theirs["cpu"] for ours, theirs in zip(*results)])
    bench.notes.append(
        f"{name}: parsing and {'reading' if what == 'read' else 'visiting'} alone "
        f"{milliseconds(alone[0]):.2f} ms, lua-cjson {milliseconds(alone[1]):.2f} ms: "
        f"{statistics.median(ratios(alone)):.1f} × faster"
        + (" (goal ≥ 8)" if what == "read" else "")
        + f"; CPU time over the network {cpu:.2f} × of the reference's")
    bench.add(name, workload, milliseconds(results[0]), milliseconds(results[1]), ratios(results),
              goal, "ms", at_least=True)
    bench.rows[-1]["alone"] = statistics.median(ratios(alone))
    bench.rows[-1]["cpu_ratio"] = cpu
