"""Measures Lull against references in the same run; see Scripts/bench, which builds first."""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
# Requests before the clock starts: connections are open and caches warm.
WARM_UP = 500
# How often a process is started per run of B7; of these the median counts.
LAUNCHES = 20
COMMAND_TIMEOUT = 300


class Failure(Exception):
    """What a person is to read instead of a traceback."""


def run(words, **options):
    """The standard output of a command; its failure is ours."""
    try:
        done = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            timeout=COMMAND_TIMEOUT, **options)
    except FileNotFoundError:
        raise Failure(f"{words[0]} was not found")
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {COMMAND_TIMEOUT} s: {' '.join(words)}")
    if done.returncode != 0:
        raise Failure(
            f"failed with {done.returncode}: {' '.join(words)}\n{(done.stderr or done.stdout).strip()}")
    return done.stdout


class Server:
    """One nginx on a free port of loopback, with one worker."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        with open(os.path.join(HERE, "nginx.conf")) as file:
            text = file.read().replace("@PORT@", str(port)).replace("@FOLDER@", folder)
        if os.geteuid() == 0:
            text = "user root;\n" + text
        config = os.path.join(folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(text)
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if program is None:
            raise Failure("nginx was not found")
        self.errors = os.path.join(folder, "nginx-error.log")
        self.process = subprocess.Popen(
            [program, "-e", self.errors, "-p", folder, "-c", config],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self.wait_until_up()
        except BaseException:
            self.stop()
            raise

    def wait_until_up(self):
        for _ in range(100):
            if self.process.poll() is not None:
                raise Failure("nginx did not start: " + self.process.stderr.read().strip())
            try:
                self.get("/status")
                return
            except OSError:
                time.sleep(0.05)
        raise Failure("nginx did not answer within 5 s")

    def get(self, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + path, timeout=5) as answer:
            return answer.read().decode()

    def counts(self):
        """Connections accepted and requests served so far, this very question not counted."""
        text = self.get("/status")
        accepted, _, served = map(int, re.search(r"(\d+) (\d+) (\d+)", text).groups())
        return accepted - 1, served - 1

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.lull = options.lull
        self.started = None
        self.rows = []
        self.notes = []

    def close(self):
        if self.started:
            self.started.stop()

    @property
    def server(self):
        if self.started is None:
            self.started = Server(self.folder)
        return self.started

    def file(self, name):
        return os.path.join(HERE, name)

    def compile(self, name, *flags, source=None, libraries=()):
        output = os.path.join(self.folder, name)
        run(["gcc", "-O2", "-Wall", "-Wextra", *flags, "-o", output,
             self.file(source or name + ".c"), *libraries])
        return output

    def progress(self, text):
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K" + text)
            sys.stderr.flush()

    def interleaved(self, name, sides):
        """Calls every side once per run, by turns and each first as often; a list per side."""
        results = [[] for _ in sides]
        for index in range(self.options.runs):
            self.progress(f"{name}: run {index + 1} of {self.options.runs}")
            order = range(len(sides)) if index % 2 == 0 else reversed(range(len(sides)))
            for side in order:
                results[side].append(sides[side]())
        self.progress("")
        return results

    def add(self, name, workload, lull, reference, ratios, goal, unit, at_least=False):
        """`ratios` has one per run; `lull` and `reference` are what to show of the two."""
        ratio = statistics.median(ratios)
        self.rows.append({
            "row": name, "workload": workload, "lull": lull, "reference": reference, "unit": unit,
            "ratio": ratio, "ratios": ratios, "goal": goal,
            "goal_is": "at least" if at_least else "at most",
            "ok": ratio >= goal if at_least else ratio <= goal})

    # B1, B2

    def agent(self):
        """What Lull says of itself, for the reference to say the same."""
        script = os.path.join(self.folder, "agent.lua")
        with open(script, "w") as file:
            file.write(
                'local api = require("lull").service(...)\n'
                'for _, path in ipairs{ "agent", "accept", "encoding" } do\n'
                '  print(assert(api(path):load():await()).content)\nend\n')
        return run([self.lull, "run", script, self.server.url]).split("\n")[:3]

    def loads(self, name, workload, requests, in_flight, goal):
        get = self.compile("get", libraries=["-lcurl"])
        agent = self.agent()
        resources = min(self.options.resources, requests)
        words = [self.server.url, requests, in_flight, resources, WARM_UP]
        words = [str(word) for word in words]

        def measure(command):
            before = self.server.counts()
            wall, cpu, length = run(command).split()
            after = self.server.counts()
            # Of the two questions the first has been counted since.
            connections, served = after[0] - before[0] - 1, after[1] - before[1] - 1
            if served != requests + WARM_UP + 1:
                raise Failure(f"{name}: {served} requests came instead of {requests + WARM_UP + 1}")
            return {"wall": float(wall), "cpu": float(cpu), "length": int(length),
                    "connections": connections}

        mode = "await" if in_flight == 1 else "keep"
        lull, reference = self.interleaved(name, [
            lambda: measure([self.lull, "run", self.file("loads.lua"), *words, mode]),
            lambda: measure([get, *words, *agent])])

        connections = {run["connections"] for run in lull + reference}
        if connections != {in_flight}:
            self.notes.append(
                f"{name}: NOT COMPARABLE: connections opened: Lull "
                f"{sorted({run['connections'] for run in lull})}, reference "
                f"{sorted({run['connections'] for run in reference})}")
        lengths = {run["length"] for run in lull + reference}
        if len(lengths) != 1:
            self.notes.append(
                f"{name}: requests differ in length: Lull {lull[0]['length']} bytes, reference "
                f"{reference[0]['length']}")
        ratios = [theirs["wall"] / ours["wall"] for ours, theirs in zip(lull, reference)]
        cpu = statistics.median(
            [ours["cpu"] / theirs["cpu"] for ours, theirs in zip(lull, reference)])

        def per_second(runs):
            return requests / statistics.median([run["wall"] for run in runs])

        def per_request(runs):
            return statistics.median([run["cpu"] for run in runs]) / requests * 1e6

        self.notes.append(
            f"{name}: {requests:,} requests a run, {resources:,} resources, {in_flight} "
            f"connection{'s' if in_flight > 1 else ''} on both sides; CPU time per request "
            f"{per_request(lull):.1f} µs, reference {per_request(reference):.1f} µs ({cpu:.2f} ×)")
        self.add(name, workload, per_second(lull), per_second(reference), ratios, goal, "/s",
                 at_least=True)
        self.rows[-1]["cpu_ratio"] = cpu

    def b1(self):
        self.loads("B1", "GETs, 32 in flight", self.options.requests, 32, 0.80)

    def b2(self):
        self.loads("B2", "GETs one by one with await", self.options.sequential, 1, 0.85)

    # B3

    def b3(self):
        module = self.compile(
            "empty_method.so", "-shared", "-fPIC", "-I/usr/include/lua5.4", source="empty_method.c")
        command = [self.lull, "run", self.file("calls.lua"), module]

        def measure():
            ours, theirs = run([*command, str(self.options.calls)]).split()
            return float(ours), float(theirs)

        times, = self.interleaved("B3", [measure])
        self.add("B3", "load_if_needed on fresh data", statistics.median([t[0] for t in times]),
                 statistics.median([t[1] for t in times]), [t[0] / t[1] for t in times], 2.5, "ns")
        if self.options.instructions == "no":
            return
        if shutil.which("valgrind") is None:
            if self.options.instructions == "yes":
                raise Failure("valgrind was not found")
            return

        # Valgrind stumbles over the debug information of Swift's.
        stripped = os.path.join(self.folder, "lull")
        run(["objcopy", "--strip-debug", self.lull, stripped])
        command[0] = stripped

        def instructions(what):
            counts = []
            for calls in (10_000, 30_000):
                self.progress(f"B3: counting instructions ({what}, {calls} calls)")
                log = os.path.join(self.folder, "callgrind.log")
                run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                     f"--log-file={log}", *command, str(calls), what])
                with open(log) as file:
                    counts.append(int(re.search(r"Collected : (\d+)", file.read()).group(1)))
            return (counts[1] - counts[0]) / 20_000

        ours, theirs = instructions("lull"), instructions("empty")
        self.progress("")
        self.notes.append(
            f"B3: instructions per call: {ours:.0f}, reference {theirs:.0f} ({ours / theirs:.2f} ×)")
        self.rows[-1]["instructions"] = ours
        self.rows[-1]["reference_instructions"] = theirs

    # B7

    def libraries(self):
        """The shared libraries lull names, as paths."""
        needed = re.findall(
            r"\(NEEDED\).*\[(.+)\]", run(["readelf", "-d", self.lull], env={**os.environ, "LC_ALL": "C"}))
        paths = {}
        for line in run(["ldd", self.lull]).splitlines():
            found = re.match(r"\s*(?:(\S+) => )?(/\S+) \(0x", line)
            if found:
                paths[found.group(1) or os.path.basename(found.group(2))] = found.group(2)
        missing = [name for name in needed if name not in paths]
        if missing:
            raise Failure(f"shared libraries of lull were not found: {', '.join(missing)}")
        return needed, [paths[name] for name in needed]

    def launches(self, name, commands):
        """Per command a list over the runs of medians: wall ms, CPU ms, MB."""
        launch = os.path.join(self.folder, "launch")
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
        runs, = self.interleaved(name, [measure])
        return [list(side) for side in zip(*runs)]

    def b7(self):
        self.compile("launch")
        names, paths = self.libraries()
        empty = self.compile("empty", "-Wl,--no-as-needed", libraries=paths)
        linked = set(re.findall(r"\(NEEDED\).*\[(.+)\]", run(
            ["readelf", "-d", empty], env={**os.environ, "LC_ALL": "C"})))
        if not set(names) <= linked:
            raise Failure(f"the empty C program lacks {set(names) - linked}")
        script = os.path.join(self.folder, "empty.lua")
        open(script, "w").close()

        lull, reference, lua = self.launches("B7", [
            [self.lull, "run", script], [empty], [shutil.which("lua5.4") or "lua5.4", script]])
        self.add_launch("run of an empty script", lull, reference, 1.6)
        memory = [figure[2] for figure in lull]
        self.add("B7", "… its peak of memory", statistics.median(memory), 25.0,
                 [value / 25 for value in memory], 1.0, "MB")
        self.notes.append(
            f"B7: for information: lua5.4 {median_of(lua, 0):.2f} ms; the empty C program's peak of "
            f"memory {median_of(reference, 2):.1f} MB; CPU time {median_of(lull, 1):.2f} ms, "
            f"reference {median_of(reference, 1):.2f} ms")

        url = self.server.url
        get = [self.lull, "run", self.file("get_one.lua"), url]
        curl = [shutil.which("curl") or "curl", "-q", "-s", url + "/item/1"]
        if run(get) != "Kilauea\n" or '"name":"Kilauea"' not in run(curl):
            raise Failure("B7: a wrong answer")
        lull, reference = self.launches("B7", [get, curl])
        self.add_launch("run of a script with one GET", lull, reference, 1.3)

    def add_launch(self, workload, lull, reference, goal):
        self.add("B7", workload, median_of(lull, 0), median_of(reference, 0),
                 [ours[0] / theirs[0] for ours, theirs in zip(lull, reference)], goal, "ms")

    # The table

    def table(self):
        lines = [("", "workload", "Lull", "reference", "ratio", "goal", "")]
        for row in self.rows:
            sign = "≥" if row["goal_is"] == "at least" else "≤"
            if row["unit"] == "MB":
                shown = (f"{row['lull']:.1f} MB", "", "", f"≤ {row['reference']:.0f} MB")
            else:
                digits = 0 if row["unit"] == "/s" else 2
                shown = (
                    f"{row['lull']:,.{digits}f} {row['unit']}",
                    f"{row['reference']:,.{digits}f} {row['unit']}",
                    f"{row['ratio']:.2f}", f"{sign} {row['goal']:.2f}")
            lines.append((row["row"], row["workload"], *shown, "ok" if row["ok"] else "short"))
        widths = [max(len(line[column]) for line in lines) for column in range(7)]
        for line in lines:
            cells = [
                cell.rjust(width) if 2 <= column <= 4 else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths))]
            print("  ".join(cells).rstrip())
        print()
        for note in self.notes:
            print(note)


def median_of(figures, column):
    return statistics.median([figure[column] for figure in figures])


ROWS = {"B1": Bench.b1, "B2": Bench.b2, "B3": Bench.b3, "B7": Bench.b7}


def parse_options():
    parser = argparse.ArgumentParser(
        prog="Scripts/bench",
        description="Measures Lull against references in the same run: medians of ratios.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=" ".join(ROWS) + "; default: all")
    parser.add_argument("--runs", type=int, default=11, help="interleaved runs (default 11)")
    parser.add_argument("--requests", type=int, default=50_000, help="of a run of B1 (default 50000)")
    parser.add_argument("--sequential", type=int, default=20_000,
                        help="requests of a run of B2 (default 20000)")
    parser.add_argument("--resources", type=int, default=1_000,
                        help="that B1 and B2 load in turn (default 1000)")
    parser.add_argument("--calls", type=int, default=2_000_000,
                        help="of a run of B3 (default 2000000)")
    parser.add_argument("--instructions", choices=["auto", "yes", "no"], default="auto",
                        help="count those of B3 with valgrind (default: if it is installed)")
    parser.add_argument("--json", metavar="FILE", help="writes the results there too")
    parser.add_argument("--lull", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [row for row in options.rows if row.upper() not in ROWS]
    if unknown:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(ROWS)}")
    for name in ("runs", "requests", "sequential", "resources", "calls"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")
    options.lull = os.path.abspath(options.lull)
    return options


def main():
    options = parse_options()
    if not os.access(options.lull, os.X_OK):
        raise Failure(f"{options.lull} is not there")
    # A proxy, a library path or a log of the user's must not take part.
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith(("LULL_", "LUA_")):
            del os.environ[name]
    wanted = [row.upper() for row in options.rows] or list(ROWS)
    with tempfile.TemporaryDirectory(prefix="lull-bench.") as folder:
        bench = Bench(options, folder)
        started = time.monotonic()
        try:
            for name in ROWS:
                if name in wanted:
                    ROWS[name](bench)
        finally:
            bench.progress("")
            bench.close()
    bench.notes.append(
        f"Medians of {options.runs} interleaved runs; {time.monotonic() - started:.0f} s in all.")
    bench.table()
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"runs": options.runs, "rows": bench.rows, "notes": bench.notes}, file, indent=2)
            file.write("\n")


def end(number, frame):
    """Leaves by way of every `finally`."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    try:
        main()
    except Failure as failure:
        sys.exit(f"bench: {failure}")
