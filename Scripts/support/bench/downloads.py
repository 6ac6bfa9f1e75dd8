"""B16: an answer that is written to a file as it arrives, against curl."""

import os
import statistics
import subprocess

from harness import Failure

# Bytes of the file, and how many megabytes of memory its download may take.
SIZE = 300 << 20
MEMORY = 20.0


def cost(words, target):
    """CPU time in seconds of a command that writes the file, and what it says."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or os.path.getsize(target) != SIZE:
        raise Failure(f"B16: {' '.join(words)}: {(errors or output).decode().strip()}")
    os.remove(target)
    return usage.ru_utime + usage.ru_stime, output.split()


def b16(bench):
    source, target = os.path.join(bench.folder, "large.bin"), os.path.join(bench.folder, "target")
    with open(source, "wb") as file:
        # Without blocks of its own: reading it costs no disk.
        file.truncate(SIZE)
    url = bench.server.url + "/large.bin"
    ours, theirs = bench.interleaved("B16", [
        lambda: cost(bench.script("download.lua", url, target), target),
        lambda: cost(["curl", "-s", "-o", target, url], target)], runs=3)
    os.remove(source)
    bench.add_limit(
        "B16", "memory of a download of 300 MB", [int(said[0]) / 1024 for _, said in ours], MEMORY, "MB")
    bench.add(
        "B16", "… its CPU time", statistics.median(time for time, _ in ours),
        statistics.median(time for time, _ in theirs),
        [mine / curls for (mine, _), (curls, _) in zip(ours, theirs)], 1.5, "s")
    bench.notes.append(
        "B16: a file of zeros from nginx to a part that could be resumed, against curl -o; the most memory "
        "the process had at once; medians of 3 runs")
