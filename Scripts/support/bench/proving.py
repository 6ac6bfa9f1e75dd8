"""B24: tests answered from a recording, and a day of polling with a simulated clock."""

import json
import os
import time

from harness import Failure, run

FILES, TESTS = 20, 50

REPLAYED = """\
test("test {number}", function(t)
  local git = t:service("https://git.test", {{ cassette = "repos", expiration_time = 30, retry = {{ times = 2 }} }})
  local repos = git("/users/{user}/repos")
  t.expect(repos:load()):to_succeed()
  t.clock:advance(31)
  t.expect(repos:load_if_needed()):to_succeed()
  t.expect(t.exchanges):to_have_count(2)
  t.expect(repos.content[3]):to_equal{{ id = 2, name = "repository 2", stars = 2 }}
end)
"""

POLLING = """\
local test, lull = require "lull.test", require "lull"
test("a day", function(t)
  t.network:on("GET", "/job", { json = { state = "running" } })
  local job = t:service("https://x.test")("/job")
  local watching = lull.spawn(function() for _ in job:watch{ every = 10 } do end end)
  t.clock:advance(24 * 3600 - 1)
  t.expect(t.exchanges):to_have_count(8640)
  watching:cancel()
end)
"""


def recording():
    repos = [{"id": number, "name": f"repository {number}", "stars": number} for number in range(30)]
    return {"log": {"version": "1.2", "creator": {"name": "bench", "version": "1"}, "entries": [{
        "startedDateTime": "2025-06-01T12:00:00.000Z", "time": 120,
        "request": {"method": "GET", "url": f"https://git.test/users/{user}/repos", "headers": []},
        "response": {
            "status": 200, "headers": [{"name": "Content-Type", "value": "application/json"}],
            "content": {"mimeType": "application/json", "text": json.dumps(repos)}},
    } for user in range(10)]}}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def b24(bench):
    folder = os.path.join(bench.folder, "proving")
    write(f"{folder}/tests/cassettes/repos.har", json.dumps(recording()))
    for name in range(FILES):
        tests = "".join(REPLAYED.format(number=number, user=number % 10) for number in range(TESTS))
        write(f"{folder}/tests/file{name}_test.lua", 'local test = require "lull.test"\n' + tests)
    write(f"{folder}/day_test.lua", POLLING)

    def measure(passed, *words):
        started = time.monotonic()
        output = run([bench.lull, "test", *words], cwd=folder)
        if f"\n{passed} passed (" not in output:
            raise Failure(f"B24: not all tests passed\n{output[-500:]}")
        return time.monotonic() - started

    count = FILES * TESTS
    replayed, = bench.interleaved("B24", [lambda: measure(count, "--jobs", "2")], min(bench.options.runs, 5))
    bench.add_limit("B24", f"{count:,} tests that are answered from a recording, two at a time", replayed, 5.0, "s")
    day, = bench.interleaved("B24", [lambda: measure(1, "day_test.lua")], min(bench.options.runs, 5))
    bench.add_limit("B24", "a test of 24 hours, polled every 10 s", day, 1.0, "s")
