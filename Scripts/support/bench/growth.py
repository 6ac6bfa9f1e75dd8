"""B20: the cost of one more among many: observer tables, configured headers, nested coroutines."""

import os
import statistics

# The sizes, few and many, between which the cost of one more is measured.
OBSERVERS = (1_000, 2_000), (10_000, 20_000)
HEADERS = (100, 200), (1_000, 2_000)
LEVELS = 90, 180
# Errors in a run, enough that compiling the source hardly counts.
ERRORS = 20


def b20(bench):
    if not bench.counts_instructions():
        bench.notes.append("B20: left out, since it counts instructions, for which valgrind is needed")
        return

    def one_more(words, pairs):
        few, many = (bench.instructions_per_call("B20", words, *pair) for pair in pairs)
        return many, few

    observers = lambda count: bench.script("growth.lua", "observers", count)
    headers = lambda count: [bench.lull, "run", explaining(bench, count)]
    for workload, words, pairs in (
            ("adding and removing one of 20,000 observer tables; of 2,000", observers, OBSERVERS),
            ("explaining one of 2,000 configured headers; of 200", headers, HEADERS)):
        runs, = bench.interleaved("B20", [lambda: one_more(words, pairs)], runs=3)
        add(bench, workload, runs, 1.5)

    def levels(interpreter):
        return bench.instructions_per_call(
            "B20", lambda count: [*interpreter, bench.file("growth.lua"), "levels", str(count),
                                  str(ERRORS)], *LEVELS) / ERRORS

    ours, theirs = bench.interleaved(
        "B20", [lambda: levels([bench.lull, "run"]), lambda: levels(["lua5.4"])], runs=3)
    add(bench, "an error through one of 180 nested coroutines; in lua5.4",
        list(zip(ours, theirs)), 4)


def add(bench, workload, runs, goal):
    bench.add(
        "B20", workload, statistics.median(run[0] for run in runs),
        statistics.median(run[1] for run in runs), [run[0] / run[1] for run in runs], goal, "instr.")


def explaining(bench, count):
    """Returns a script that explains this number of headers: half from one call, half from one
    call each."""
    path = os.path.join(bench.folder, f"explain-{count}.lua")
    together, apart = count // 2, count - count // 2
    with open(path, "w") as file:
        file.write('local service = require "lull".service("http://127.0.0.1")\n')
        file.write("service:configure{ headers = {\n")
        file.writelines(f'  ["X-Together-{i}"] = "{i}",\n' for i in range(together))
        file.write("} }\n")
        file.writelines(
            f'service:configure{{ headers = {{ ["X-Apart-{i}"] = "{i}" }} }}\n' for i in range(apart))
        file.write('local text = service("/item/1"):explain()\n')
        file.write(f'assert(select(2, text:gsub("headers%.x%-", "")) == {count}, text)\n')
    return path
