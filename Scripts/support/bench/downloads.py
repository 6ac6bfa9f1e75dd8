"""B16: an answer that is written to a file as it arrives, against curl."""

import os

from transfers import compare, cost

# Bytes of the file, and how many megabytes of memory its download may take.
SIZE = 300 << 20
MEMORY = 20.0


def b16(bench):
    source, target = os.path.join(bench.folder, "large.bin"), os.path.join(bench.folder, "target")
    with open(source, "wb") as file:
        # Without blocks of its own: reading it costs no disk.
        file.truncate(SIZE)
    url = bench.server.url + "/large.bin"

    def run(words):
        figures = cost("B16", words, lambda _: os.path.getsize(target) == SIZE)
        os.remove(target)
        return figures

    compare(
        bench, "B16", "a download of 300 MB", MEMORY,
        lambda: run(bench.script("download.lua", url, target)),
        lambda: run(["curl", "-s", "-o", target, url]))
    os.remove(source)
    bench.notes.append(
        "B16: a file of zeros from nginx to a part that could be resumed, against curl -o; the most memory "
        "the process had at once; medians of 3 runs")
