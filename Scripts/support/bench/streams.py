"""B17: a stream of one million events, read one by one in a script, compared with curl, which
only receives them."""

import os
import statistics
import subprocess

from harness import Failure

# The number of events, the maximum memory in MB, and the maximum CPU time in seconds.
COUNT = 1_000_000
MEMORY = 30.0
SECONDS = 3.0


def cost(words):
    """Returns the CPU time in seconds of a command that reads the stream, and its output."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failure(f"B17: {' '.join(words)}: {(errors or output).decode().strip()}")
    return usage.ru_utime + usage.ru_stime, output.split()


def b17(bench):
    source = os.path.join(bench.folder, "events.txt")
    with open(source, "w", encoding="ascii") as file:
        for number in range(1, COUNT + 1):
            file.write(f'id: {number}\ndata: {{"number":{number},"celsius":21.5}}\n\n')
    url = bench.server.url + "/events.txt"
    ours, theirs = bench.interleaved("B17", [
        lambda: cost(bench.script("events.lua", url)),
        lambda: cost(["curl", "-s", "-N", "-o", "/dev/null", url])], runs=3)
    os.remove(source)
    if any(int(said[0]) != COUNT for _, said in ours):
        raise Failure(f"B17: {ours[0][1][0].decode()} events have come, and not {COUNT}")
    bench.add_limit(
        "B17", "memory of a million events", [int(said[1]) / 1024 for _, said in ours], MEMORY, "MB")
    bench.add_limit("B17", "… their CPU time", [time for time, _ in ours], SECONDS, "s")
    curl = statistics.median(time for time, _ in theirs)
    bench.notes.append(
        "B17: text/event-stream from nginx, each event given to a loop, which looks at its data; curl -N, "
        f"which looks at nothing, takes {curl:.2f} s; the most memory the process had at once; medians of 3 runs")
