"""B1, B2 and B14: many GETs of a small JSON document, compared with a C program using libcurl."""

import os
import statistics

from harness import Failure, run
from server import Server

# Requests before timing starts, to open connections and warm caches.
WARM_UP = 500
# Requests in the runs whose footprints are compared.
COUNTED = (1_000, 3_000)
FOOTPRINT_GOALS = {
    "B2": {"instructions": 105_000, "i1_misses": 2_800, "d1_misses": 800, "mispredictions": 1_500},
}


def b1(bench):
    measure_loads(
        bench, "B1", "GETs, 32 in flight", bench.options.requests, 32, 0.80, bench.server,
        bench.server.url, connections=32)


def b2(bench):
    measure_loads(
        bench, "B2", "GETs one by one with await", bench.options.sequential, 1, 0.85, bench.server,
        bench.server.url, connections=1)


def b14(bench):
    folder = os.path.join(bench.folder, "tls")
    os.mkdir(folder)
    server = Server(folder, has_tls=True)
    # Both sides use this instead of the system's certificates.
    earlier = os.environ.get("CURL_CA_BUNDLE")
    os.environ["CURL_CA_BUNDLE"] = server.certificate
    try:
        measure_loads(
            bench, "B14", "GETs over TLS with HTTP/2, 32 in flight", bench.options.multiplexed, 32,
            0.80, server, server.tls_url, connections=1)
    finally:
        if earlier is None:
            del os.environ["CURL_CA_BUNDLE"]
        else:
            os.environ["CURL_CA_BUNDLE"] = earlier
        server.stop()


def agent_of_lull(bench, url):
    """Returns Lull's request headers, so that the reference can send the same ones."""
    script = os.path.join(bench.folder, "agent.lua")
    with open(script, "w") as file:
        file.write(
            'local api = require("lull").service(...)\n'
            'for _, path in ipairs{ "agent", "accept", "encoding" } do\n'
            '  print(assert(api(path):load():await()).content)\nend\n')
    return run([bench.lull, "run", script, url]).split("\n")[:3]


def measure_loads(
        bench, name, workload, requests, in_flight, goal, server, url, connections):
    """Measures both sides. `connections` is the expected number of connections of each."""
    get = bench.compile("get", libraries=["-lcurl"])
    agent = agent_of_lull(bench, url)
    resources = min(bench.options.resources, requests)
    words = [url, requests, in_flight, resources, WARM_UP]
    words = [str(word) for word in words]

    def measure(command):
        before = server.counts()
        wall, cpu, length = run(command).split()
        after = server.counts()
        # Subtract the first of the two queries of the counts, which is included.
        opened, served = after[0] - before[0] - 1, after[1] - before[1] - 1
        if served != requests + WARM_UP + 1:
            raise Failure(f"{name}: {served} requests came instead of {requests + WARM_UP + 1}")
        return {"wall": float(wall), "cpu": float(cpu), "length": int(length),
                "connections": opened}

    mode = "await" if in_flight == 1 else "keep"
    lull, reference = bench.interleaved(name, [
        lambda: measure(bench.script("loads.lua", *words, mode)),
        lambda: measure([get, *words, *agent])])

    if {run["connections"] for run in lull + reference} != {connections}:
        bench.notes.append(
            f"{name}: NOT COMPARABLE: connections opened: Lull "
            f"{sorted({run['connections'] for run in lull})}, reference "
            f"{sorted({run['connections'] for run in reference})}")
    lengths = {run["length"] for run in lull + reference}
    if len(lengths) != 1:
        bench.notes.append(
            f"{name}: requests differ in length: Lull {lull[0]['length']} bytes, reference "
            f"{reference[0]['length']}")
    ratios = [theirs["wall"] / ours["wall"] for ours, theirs in zip(lull, reference)]
    cpu = statistics.median(
        [ours["cpu"] / theirs["cpu"] for ours, theirs in zip(lull, reference)])

    def per_second(runs):
        return requests / statistics.median([run["wall"] for run in runs])

    def per_request(runs):
        return statistics.median([run["cpu"] for run in runs]) / requests * 1e6

    bench.notes.append(
        f"{name}: {requests:,} requests a run, {resources:,} resources, {connections} "
        f"connection{'s' if connections > 1 else ''} on both sides; CPU time per request "
        f"{per_request(lull):.1f} µs, reference {per_request(reference):.1f} µs ({cpu:.2f} ×)")
    bench.add(name, workload, per_second(lull), per_second(reference), ratios, goal, "/s",
              at_least=True)
    bench.rows[-1]["cpu_ratio"] = cpu
    if not bench.counts_instructions():
        return

    def counted(requests):
        words = [url, requests, in_flight, min(resources, COUNTED[0]), WARM_UP]
        return [str(word) for word in words]

    ours = bench.footprint_per_call(
        name, lambda requests: bench.script("loads.lua", *counted(requests), mode), *COUNTED)
    theirs = bench.footprint_per_call(
        name, lambda requests: [get, *counted(requests), *agent], *COUNTED)
    bench.add_footprints("request", ours, theirs, FOOTPRINT_GOALS.get(name))
