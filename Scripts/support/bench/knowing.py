"""B25: a call of an API imported with 1,000 operations, compared with one with five. B26: the
settings that differ between two revisions of an API file, for many URLs."""

import json
import os
import statistics
import subprocess
import time

from harness import Failure, run

OPERATIONS = (1_000, 5)
URLS = 10_000
BLOCKS = 100
# Processes started per run. The median is used.
LAUNCHES = 20


def operation(number):
    def parameter(name, place, schema, **more):
        return {"name": name, "in": place, "schema": schema, "description": f"The {name}", **more}

    return f"/things/{{id}}/part{number}", {"get": {
        "operationId": f"parts/get-{number}", "tags": [f"tag{number // 20}"],
        "summary": f"Part {number} of a thing", "description": "What it is made of. " * 10,
        "parameters": [
            parameter("id", "path", {"type": "integer"}, required=True),
            parameter("per_page", "query", {"type": "integer", "default": 30}),
            parameter("page", "query", {"type": "integer", "default": 1}),
            parameter("sort", "query", {"type": "string", "enum": ["up", "down", "created"]}),
            parameter("ids", "query", {"type": "array", "items": {"type": "string"}})],
        "responses": {"200": {"description": "Fine", "content": {"application/json": {"schema": {
            "type": "array", "items": {"$ref": "#/components/schemas/part"}}}}}}}}


def document(operations):
    return {
        "openapi": "3.1.0", "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://things.example/v1"}],
        "paths": dict(operation(number) for number in range(operations)),
        "components": {"schemas": {"part": {"type": "object", "properties": {
            f"field{number}": {"type": "string"} for number in range(50)}}}}}


def b25(bench):
    launch = bench.compile("launch")
    folder = os.path.join(bench.folder, "imported")
    os.makedirs(os.path.join(folder, "apis"))
    commands = []
    for count in OPERATIONS:
        name = f"things{count}"
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump(document(count), file)
        run([bench.lull, "import", "openapi", f"{name}.json", "-o", f"apis/{name}.lua"], cwd=folder)
        command = [bench.lull, "call", name, "parts/get-3", "--id", "7", "--ids", "a", "--ids", "b", "--dry-run"]
        if "/v1/things/7/part3?ids=a&ids=b" not in run(command, cwd=folder):
            raise Failure(f"B25: {' '.join(command)} asks for something else")
        commands.append(command)
    separated = [word for command in commands for word in ("--", *command)][1:]

    def measure():
        times = [[], []]
        for line in run([launch, str(LAUNCHES), *separated], cwd=folder).splitlines():
            index, wall, _, _ = map(int, line.split())
            times[index].append(wall / 1e6)
        return [statistics.median(column) for column in times]

    turns, = bench.interleaved("B25", [measure])
    large, small = zip(*turns)
    bench.add(
        "B25", f"`lull call --dry-run` of one of {OPERATIONS[0]:,} imported operations; of one of {OPERATIONS[1]}",
        statistics.median(large), statistics.median(small),
        [one / other for one, other in zip(large, small)], 2, "ms")


def api_file(times):
    blocks = "".join(
        f'api:configure("/part{number}/**", {{ expiration_time = {times(number)}, headers = {{ ["X-Part"] = "{number}" }} }})\n'
        for number in range(BLOCKS))
    return (
        'local lull = require "lull"\n'
        'local api = lull.service{ base_url = "https://a.example", expiration_time = 60 }\n'
        f"{blocks}return {{ service = api }}\n")


def b26(bench):
    folder = os.path.join(bench.folder, "revisions")
    os.makedirs(folder)
    for name, times in (("old", lambda number: 10), ("new", lambda number: 10 + number % 2)):
        with open(f"{folder}/{name}.lua", "w") as file:
            file.write(api_file(times))
    with open(f"{folder}/urls", "w") as file:
        file.writelines(f"/part{number % BLOCKS}/things/{number}?page={number}\n" for number in range(URLS))

    def measure():
        started = time.monotonic()
        done = subprocess.run(
            [bench.lull, "diff", "old.lua", "new.lua", "--urls", "urls"], cwd=folder,
            capture_output=True, text=True)
        if done.returncode != 7 or "expiration_time" not in done.stdout:
            raise Failure(f"B26: exit code {done.returncode} instead of 7\n{done.stdout}{done.stderr}")
        return time.monotonic() - started

    times, = bench.interleaved("B26", [measure], min(bench.options.runs, 5))
    bench.add_limit("B26", f"the difference of two API files for {URLS:,} URLs", times, 1.0, "s")
