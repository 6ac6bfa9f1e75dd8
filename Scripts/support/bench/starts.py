"""B7: whole processes, from start to end."""

import os
import re
import shutil
import statistics

from harness import Failure, median_of, run

# Processes started per run. The median is used.
LAUNCHES = 20


def libraries_of(lull):
    """Returns the paths of the shared libraries that lull is linked with."""
    needed = re.findall(
        r"\(NEEDED\).*\[(.+)\]", run(["readelf", "-d", lull], env={**os.environ, "LC_ALL": "C"}))
    paths = {}
    for line in run(["ldd", lull]).splitlines():
        found = re.match(r"\s*(?:(\S+) => )?(/\S+) \(0x", line)
        if found:
            paths[found.group(1) or os.path.basename(found.group(2))] = found.group(2)
    missing = [name for name in needed if name not in paths]
    if missing:
        raise Failure(f"shared libraries of lull were not found: {', '.join(missing)}")
    return needed, [paths[name] for name in needed]


def libcurl():
    """Returns the path of libcurl, which lull loads with its first request."""
    for line in run(["ldconfig", "-p"], env={**os.environ, "PATH": os.environ["PATH"] + ":/sbin"}
                    ).splitlines():
        found = re.match(r"\s*libcurl\.so\.4 .* => (/\S+)", line)
        if found:
            return found.group(1)
    raise Failure("libcurl.so.4 was not found")


def launches(bench, name, commands):
    """Returns for each command a list of medians, one per run: wall ms, CPU ms, MB."""
    launch = os.path.join(bench.folder, "launch")
    words = []
    for command in commands:
        words += ["--", *command]

    def measure():
        figures = [[] for _ in commands]
        for line in run([launch, str(LAUNCHES), *words[1:]]).splitlines():
            index, wall, cpu, memory = map(int, line.split())
            figures[index].append((wall / 1e6, cpu / 1e3, memory / 1024))
        return [tuple(statistics.median(column) for column in zip(*figure)) for figure in figures]

    measure()
    runs, = bench.interleaved(name, [measure])
    return [list(side) for side in zip(*runs)]


def empty_program(bench, name, names, paths):
    """Builds an empty C program that is linked with these libraries."""
    program = bench.compile(name, "-Wl,--no-as-needed", source="empty.c", libraries=paths)
    linked = set(re.findall(r"\(NEEDED\).*\[(.+)\]", run(
        ["readelf", "-d", program], env={**os.environ, "LC_ALL": "C"})))
    if not set(names) <= linked:
        raise Failure(f"the empty C program lacks {set(names) - linked}")
    return program


def b7(bench):
    bench.compile("launch")
    names, paths = libraries_of(bench.lull)
    empty = empty_program(bench, "empty", names + ["libcurl.so.4"], paths + [libcurl()])
    small = empty_program(bench, "empty_at_once", names, paths)
    script = os.path.join(bench.folder, "empty.lua")
    open(script, "w").close()

    lull, reference, at_once, lua = launches(bench, "B7", [
        [bench.lull, "run", script], [empty], [small],
        [shutil.which("lua5.4") or "lua5.4", script]])
    add_launch(bench, "run of an empty script", lull, reference, 1.6)
    memory = [figure[2] for figure in lull]
    bench.add_limit("B7", "… its peak of memory", memory, 25.0, "MB")
    bench.notes.append(
        f"B7: the empty C program is linked with libcurl too, which lull loads when a script makes its "
        f"first request; without it {median_of(at_once, 0):.2f} ms, lull's time is "
        f"{median_of(lull, 0) / median_of(at_once, 0):.2f} of that")
    bench.notes.append(
        f"B7: for information: lua5.4 {median_of(lua, 0):.2f} ms; the empty C program's peak of "
        f"memory {median_of(reference, 2):.1f} MB; CPU time {median_of(lull, 1):.2f} ms, "
        f"reference {median_of(reference, 1):.2f} ms")

    url = bench.server.url
    get = [bench.lull, "run", bench.file("get_one.lua"), url]
    curl = [shutil.which("curl") or "curl", "-q", "-s", url + "/item/1"]
    if run(get) != "Kilauea\n" or '"name":"Kilauea"' not in run(curl):
        raise Failure("B7: a wrong answer")
    typed = [bench.lull, "get", url + "/item/1"]
    if '"name":"Kilauea"' not in run(typed):
        raise Failure("B7: a wrong answer")
    lull, command, reference = launches(bench, "B7", [get, typed, curl])
    add_launch(bench, "run of a script with one GET", lull, reference, 1.3)
    add_launch(bench, "run of lull get", command, reference, 1.3)


def add_launch(bench, workload, lull, reference, goal):
    bench.add("B7", workload, median_of(lull, 0), median_of(reference, 0),
             [ours[0] / theirs[0] for ours, theirs in zip(lull, reference)], goal, "ms")
