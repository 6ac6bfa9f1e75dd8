"""B12: thousands of long polls in flight at once, with a C server that holds them."""

import resource
import statistics
import subprocess

from harness import Failure, run

# In bytes.
IN_FLIGHT, QUEUED = 40 * 1024, 2 * 1024
FEW = 1_000
TIMED = 5_000
# For the runs in which instructions are counted, which is slow: polls and responses.
MANY_COUNTED, FEW_COUNTED = 2_500, 250
COUNTED = (500, 1_500)
# File descriptors in addition to those of connections.
SPARE = 600


class LongPolls:
    """The server in a separate process."""

    def __init__(self, bench):
        program = bench.compile("longpoll")
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = self.process.stdout.readline().strip()
        if not port:
            raise Failure("B12: the server did not start")
        self.url = "http://127.0.0.1:" + port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def b12(bench):
    wanted = bench.options.polls
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard - SPARE)
    if count < wanted:
        bench.notes.append(
            f"B12: NOT ALL: this machine lets a process have {hard:,} files open: {count:,} polls "
            f"instead of {wanted:,} (ulimit -Hn)")
    if count < 2 * FEW:
        raise Failure(f"B12: {hard:,} open files are not enough (ulimit -Hn)")

    with LongPolls(bench) as server:
        def script(polls, *words):
            return bench.script("in_flight.lua", server.url, polls, *words)

        def measure(*words):
            return float(run(script(count, *words)))

        in_flight, queued = bench.interleaved(
            "B12", [lambda: measure("memory"), lambda: measure("queue")], runs=3)
        bench.add_limit(
            "B12", f"memory of each of {count:,} requests in flight", in_flight, IN_FLIGHT, "B")
        bench.add_limit("B12", "… of each that waits for a connection", queued, QUEUED, "B")

        def answers(polls):
            return float(run(script(polls, "events", TIMED)))

        many, few = bench.interleaved(
            "B12", [lambda: answers(count), lambda: answers(FEW)], runs=3)
        bench.add(
            "B12", f"an answer among {count:,} in flight against {FEW:,}", statistics.median(many),
            statistics.median(few), [ours / theirs for ours, theirs in zip(many, few)], 1.5, "µs")
        if bench.counts_instructions():
            # Counts vary by a few per cent, because Lua seeds its hashes in every process.
            ours, theirs = [
                bench.instructions_per_call(
                    "B12", lambda events: script(polls, "events", events), *COUNTED)
                for polls in (MANY_COUNTED, FEW_COUNTED)]
            bench.add(
                "B12", f"… among {MANY_COUNTED:,} against {FEW_COUNTED:,}", ours, theirs,
                [ours / theirs], 1.1, "instr.")
    bench.notes.append(
        f"B12: long polls over {count:,} connections, resident memory of Lull's process, CPU time of an "
        "answer with its poll's next request; medians of 3 runs")
