"""The cost of transferring a large body, for B15 and B16."""

import os
import statistics
import subprocess

from harness import Failure


def cost(row, words, is_whole):
    """Returns a command's CPU time in seconds and its output. `is_whole` checks that all has
    arrived."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    said = output.split()
    if process.returncode != 0 or not is_whole(said):
        raise Failure(f"{row}: {' '.join(words)}: {(errors or output).decode().strip()}")
    return usage.ru_utime + usage.ru_stime, said


def compare(bench, row, title, megabytes, ours, theirs):
    """Adds Lull's memory, which is the last value of its output in KiB, and its CPU time next to
    curl's."""
    ours, theirs = bench.interleaved(row, [ours, theirs], runs=3)
    bench.add_limit(
        row, f"memory of {title}", [int(said[-1]) / 1024 for _, said in ours], megabytes, "MB")
    bench.add(
        row, "… its CPU time", statistics.median(time for time, _ in ours),
        statistics.median(time for time, _ in theirs),
        [mine / curls for (mine, _), (curls, _) in zip(ours, theirs)], 1.5, "s")
