"""Finds the functions of lull that run at the start and in requests; see
Scripts/support/generate-order."""

import os
import re
import sys
import tempfile

from harness import HERE, Failure, run
from server import Server
from walk import Calls

# The loads in two runs. Their difference shows the functions of a load.
LOADS = (100, 300)


def calls_of(lull, words, profile):
    """Returns the calls of one run under callgrind."""
    run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}",
         f"--log-file={profile}.log", lull, *words])
    return Calls(profile, lull)


def is_symbol(name):
    """Whether the linker can order the symbol: not one of another library, and not a bare
    address."""
    return re.fullmatch(r"[\w.$]+", name) is not None and not name.startswith("0x")


def functions_run(lull, words, folder):
    """Returns lull's own symbols that run."""
    calls = calls_of(lull, words, os.path.join(folder, "callgrind.out"))
    return {name for name, owner in calls.objects.items() if owner == lull and is_symbol(name)}


def functions_of_load(lull, url, folder):
    """Returns the functions of one load. Callers precede their callees, so that a load uses few
    cache lines."""
    few, many = (
        calls_of(lull, ["run", os.path.join(HERE, "loads.lua"), url, str(count), "1", "100", "100", "await"],
                 os.path.join(folder, f"callgrind.load.{count}"))
        for count in LOADS)
    callees, called = {}, set()
    for (caller, callee), count in many.counts.items():
        if (count - few.counts[caller, callee]) / (LOADS[1] - LOADS[0]) >= 0.5:
            callees.setdefault(caller, []).append(callee)
            called.add(callee)
    found, waiting = {}, sorted(set(callees) - called, reverse=True)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += reversed(callees.get(name, []))
    return [name for name in found if is_symbol(name)]


def main():
    lull, output = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="lull-order.") as folder:
        # Valgrind can't read the debug information of Swift.
        stripped = os.path.join(folder, "lull")
        run(["objcopy", "--strip-debug", lull, stripped])
        empty = os.path.join(folder, "empty.lua")
        open(empty, "w").close()
        server = Server(folder)
        loads = [os.path.join(HERE, "loads.lua"), server.url, "300", "32", "100", "100"]
        try:
            groups = [functions_run(stripped, words, folder) for words in (
                ["run", empty], ["run", os.path.join(HERE, "get_one.lua"), server.url],
                ["get", server.url + "/item/1"], ["run", *loads, "keep"], ["run", *loads, "await"],
                ["run", os.path.join(HERE, "download.lua"), server.url + "/item/1",
                 os.path.join(folder, "item")])]
            load = functions_of_load(stripped, server.url, folder)
        finally:
            server.stop()
    # First the functions of every start, then those of a load in one block.
    seen = set(load)
    start, *groups = groups
    blocks = [sorted(start - seen), load]
    seen |= start
    for group in groups:
        blocks.append(sorted(group - seen))
        seen |= group
    with open(output, "w") as file:
        file.writelines(name + "\n" for block in blocks for name in block)
    print(f"{len(seen)} functions")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"generate-order: {failure}")
