"""B16: a response that is written to a file on arrival, compared with curl."""

import os

from transfers import compare, cost

# The size of the file in bytes, and the maximum memory of its download in MB.
SIZE = 300 << 20
MEMORY = 20.0


def b16(bench):
    source, target = os.path.join(bench.folder, "large.bin"), os.path.join(bench.folder, "target")
    with open(source, "wb") as file:
        # A sparse file: reading it needs no disk access.
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
