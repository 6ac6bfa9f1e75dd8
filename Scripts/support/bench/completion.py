"""B18: completion of words with Tab, with many API files and calls."""

import os
import statistics

from harness import Failure, run

FILES = 200
CALLS = 1_000
LIMIT = 20.0
# Processes started per run and place. The median is used.
LAUNCHES = 20


def call(number):
    return (
        f'  call{number} = {{ path = "/things/{{id}}/part{number}", description = "Part {number}",\n'
        f'    params = {{ id = "integer", per_page = "integer", sort = {{ "up", "down" }} }} }},\n')


def write_files(folder):
    """Writes FILES files with CALLS / FILES calls each, except one with all CALLS calls."""
    apis = os.path.join(folder, "apis")
    os.makedirs(apis)
    each = CALLS // FILES
    for number in range(FILES):
        name = "large" if number == 0 else f"api{number}"
        calls = "".join(call(index) for index in range(CALLS if number == 0 else each))
        with open(os.path.join(apis, name + ".lua"), "w") as file:
            file.write(
                'local lull = require "lull"\n'
                'local api = lull.service{ base_url = "https://a.example/v1", expiration_time = 60 }\n'
                f'return {{ service = api, description = "API {number}", calls = {{\n{calls}}} }}\n')


# The words after lull, and one of the expected candidates.
PLACES = [
    (["call", ""], f"api{FILES - 1}\n"), (["get", "api1"], "api19\n"),
    (["call", "api7", ""], "call4\t"), (["call", "api7", "call3", "--p"], "--per-page"),
    (["get", "api7", "/"], "/things/"), (["call", "large", ""], f"call{CALLS - 1}\t"),
    (["call", "large", "call3", "--sort", ""], "down\n"),
    (["get", "large", "/"], "/things/"), (["check", ""], "api100\n"),
]


def b18(bench):
    launch = bench.compile("launch")
    folder = os.path.join(bench.folder, "completion")
    write_files(folder)
    state = {"XDG_STATE_HOME": os.path.join(folder, "state"),
             "XDG_CONFIG_HOME": os.path.join(folder, "config")}
    kinds = {"": {**os.environ, **state, "XDG_STATE_HOME": "/dev/null/none"},
             ", trusted": {**os.environ, **state}}
    run([bench.lull, "trust"], cwd=folder, env=kinds[", trusted"])
    commands = []
    for words, offered in PLACES:
        command = [bench.lull, "--complete", *words]
        for environment in kinds.values():
            if offered not in run(command, cwd=folder, env=environment):
                raise Failure(f"B18: {' '.join(words)} offers no {offered.strip()}")
        commands.append(command)
    separated = [word for command in commands for word in ("--", *command)][1:]

    def measure(environment):
        times = [[] for _ in commands]
        lines = run([launch, str(LAUNCHES), *separated], cwd=folder, env=environment)
        for line in lines.splitlines():
            index, wall, _, _ = map(int, line.split())
            times[index].append(wall / 1e6)
        return [statistics.median(column) for column in times]

    names = list(kinds)
    runs = bench.interleaved("B18", [lambda kind=kind: measure(kinds[kind]) for kind in names])
    large = [index for index, (words, _) in enumerate(PLACES) if "large" in words]
    others = [index for index in range(len(PLACES)) if index not in large]
    for indices, text in (
            (others, f"{FILES} API files with {CALLS // FILES} calls each"),
            (large, f"the one of them that has {CALLS:,} calls")):
        slowest = [
            max(side[index] for side in turn for index in indices) for turn in zip(*runs)]
        bench.add_limit("B18", f"completion, its slowest place: {text}", slowest, LIMIT, "ms")
    for kind, turns in zip(names, runs):
        each = ", ".join(
            f"{' '.join(words)!r} {statistics.median(turn[index] for turn in turns):.1f}"
            for index, (words, _) in enumerate(PLACES))
        bench.notes.append(f"B18{kind}: {each} ms")
