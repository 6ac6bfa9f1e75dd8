"""Finds the functions of lull that a start and requests run; see Scripts/support/generate-order."""

import os
import re
import sys
import tempfile

from harness import HERE, Failure, run
from server import Server
from walk import Calls

# Loads of the two runs that tell the functions of a load from those of a start.
LOADS = (100, 300)


def functions_run(lull, words, folder):
    """The symbols of lull's own that are run, as callgrind notes them."""
    profile = os.path.join(folder, "callgrind.out")
    run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}",
         f"--log-file={profile}.log", lull, *words])
    names, objects, found, current = {}, {}, set(), None
    # `ob=(1) /path` and `fn=(2) name` give a number to a name, `ob=(1)` and `fn=(2)` use it; with a
    # `c` before them they are those of a call. (Callgrind Format Specification)
    line_form = re.compile(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$")
    with open(profile) as lines:
        for line in lines:
            match = line_form.match(line)
            if not match:
                continue
            is_call, kind, number, name = match.groups()
            known = objects if kind == "ob" else names
            if name:
                known[number] = name
            if is_call:
                continue
            if kind == "ob":
                current = objects[number]
            elif current == lull:
                # Of a function inside itself: 'name'2'.
                found.add(re.sub(r"'\d+$", "", names[number]))
    return {name for name in found if re.fullmatch(r"[\w.$]+", name) and not name.startswith("0x")}


def functions_of_load(lull, url, folder):
    """The functions of one load, callers before those they call: a load then runs through few cache lines."""
    runs = []
    for count in LOADS:
        profile = os.path.join(folder, f"callgrind.load.{count}")
        run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}",
             f"--log-file={profile}.log", lull, "run", os.path.join(HERE, "loads.lua"), url,
             str(count), "1", "100", "100", "await"])
        runs.append(Calls(profile, lull))
    few, many = runs
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
    return [name for name in found if re.fullmatch(r"[\w.$]+", name)]


def main():
    lull, output = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="lull-order.") as folder:
        # Valgrind stumbles over the debug information of Swift's.
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
    # The functions of every start first, then those of a load in one block.
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
