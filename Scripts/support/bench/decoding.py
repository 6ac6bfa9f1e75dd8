"""B21: decoding types from a large JSON document, compared with Foundation's JSONDecoder."""

import os
import shutil

from documents import write_document
from harness import HERE, Failure, median_of, run

WARM_UP = 2


def build():
    """Builds the two programs, linked statically, below .build, since the core is compiled for
    them."""
    if not shutil.which("swift"):
        raise Failure("swift was not found")
    root = os.path.abspath(os.path.join(HERE, "../../.."))
    flags = ["--package-path", os.path.join(HERE, "decoding"),
             "--scratch-path", os.path.join(root, ".build/decoding"), "--configuration", "release",
             "-Xswiftc", "-static-stdlib"]
    # The package manager looks for new files in dependencies only if a manifest has changed.
    os.utime(os.path.join(HERE, "decoding/Package.swift"))
    run(["swift", "build", *flags])
    folder = run(["swift", "build", *flags, "--show-bin-path"]).strip()
    return [os.path.join(folder, name) for name in ("decoding-lull", "decoding-foundation")]


def b21(bench):
    bench.progress("B21: building")
    programs = build()
    path = write_document(bench.folder)

    def measure(program):
        seconds, seen = run([program, path, str(bench.options.documents), str(WARM_UP)]).split()
        return {"seconds": float(seconds), "seen": seen}

    results = bench.interleaved("B21", [lambda program=program: measure(program) for program in programs])
    if len({run["seen"] for runs in results for run in runs}) != 1:
        raise Failure("B21: the two sides have decoded different things")
    ratios = [theirs["seconds"] / ours["seconds"] for ours, theirs in zip(*results)]
    ours, theirs = (median_of(runs, "seconds") * 1e3 for runs in results)
    bench.add("B21", "3.6 MB of JSON as a type, Foundation's JSONDecoder", ours, theirs, ratios, 5,
              "ms", at_least=True)
