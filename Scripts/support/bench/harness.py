"""Shared by the workloads: running commands in turn, counting instructions, collecting results."""

import os
import re
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND_TIMEOUT = 600
# The counts of a footprint: the label in cachegrind's summary, and the title in the notes.
# Instructions in the kernel are not included.
FOOTPRINT = {
    "instructions": ("I +refs", "instructions"),
    "i1_misses": ("I1 +misses", "I1 misses"),
    "d1_misses": ("D1 +misses", "D1 misses"),
    "mispredictions": ("Mispredicts", "mispredicted branches"),
}
# The same simulated caches on every machine: size, ways, bytes per line.
SIMULATED_CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")


class Failure(Exception):
    """An error that is shown to the user instead of a traceback."""


def run(words, **options):
    """Returns the standard output of a command. Raises Failure if it fails."""
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
    # After a warning, the result is not what was to be measured.
    if "lull: warning:" in done.stderr:
        raise Failure(f"warned: {' '.join(words)}\n{done.stderr.strip()}")
    return done.stdout


def median_of(figures, column):
    return statistics.median([figure[column] for figure in figures])


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.lull = options.lull
        self.rows = []
        self.notes = []
        self._server = None
        self._stripped = None

    def close(self):
        if self._server:
            self._server.stop()

    @property
    def server(self):
        if self._server is None:
            from server import Server
            self._server = Server(self.folder)
        return self._server

    def file(self, name):
        return os.path.join(HERE, name)

    def script(self, name, *arguments):
        """Returns the command line that runs a Lua file of this folder with lull."""
        return [self.lull, "run", self.file(name), *map(str, arguments)]

    def keep_state_apart(self):
        """Stores lull's state in a folder of this run."""
        state = os.path.join(self.folder, "state")
        os.makedirs(state, exist_ok=True)
        os.environ["XDG_STATE_HOME"] = state

    def compile(self, name, *flags, source=None, libraries=()):
        output = os.path.join(self.folder, name)
        run(["gcc", "-O2", "-Wall", "-Wextra", *flags, "-o", output,
             self.file(source or name + ".c"), *libraries])
        return output

    def progress(self, text):
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K" + text)
            sys.stderr.flush()

    def interleaved(self, name, sides, runs=None):
        """Calls every side once per run, alternating the order. Returns a list for each side."""
        runs = runs or self.options.runs
        results = [[] for _ in sides]
        for index in range(runs):
            self.progress(f"{name}: run {index + 1} of {runs}")
            order = range(len(sides)) if index % 2 == 0 else reversed(range(len(sides)))
            for side in order:
                results[side].append(sides[side]())
        self.progress("")
        return results

    # Instructions

    def counts_instructions(self):
        """Whether instructions are to be counted, and valgrind is available."""
        if self.options.instructions == "no":
            return False
        if shutil.which("valgrind"):
            return True
        if self.options.instructions == "yes":
            raise Failure("valgrind was not found")
        return False

    def under_valgrind(self, name, words, *options):
        """Returns valgrind's output at the end of a run."""
        if self._stripped is None:
            # Valgrind can't read the debug information of Swift.
            self._stripped = os.path.join(self.folder, "lull")
            run(["objcopy", "--strip-debug", self.lull, self._stripped])
        words = [self._stripped if word == self.lull else word for word in words]
        log = os.path.join(self.folder, "valgrind.log")
        self.progress(f"{name}: counting instructions")
        run(["valgrind", *options, f"--log-file={log}", *words])
        self.progress("")
        with open(log) as file:
            return file.read()

    def instructions(self, name, words):
        """Returns the number of instructions in a run."""
        log = self.under_valgrind(name, words, "--tool=callgrind", "--callgrind-out-file=/dev/null")
        return int(re.search(r"Collected : (\d+)", log).group(1))

    def instructions_per_call(self, name, words, low, high):
        """The instructions per call: runs `words(calls)` with `low` and with `high` calls."""
        counts = [self.instructions(name, words(calls)) for calls in (low, high)]
        return (counts[1] - counts[0]) / (high - low)

    def footprint(self, name, words):
        """The counts of FOOTPRINT for a run, on a simulated processor."""
        log = self.under_valgrind(
            name, words, "--tool=cachegrind", "--cachegrind-out-file=/dev/null", "--cache-sim=yes",
            "--branch-sim=yes", *SIMULATED_CACHES)
        return {
            key: int(re.search(rf"{label}: +([\d,]+)", log).group(1).replace(",", ""))
            for key, (label, _) in FOOTPRINT.items()}

    def footprint_per_call(self, name, words, low, high):
        """The counts per call: runs `words(calls)` with `low` and with `high` calls."""
        fewer, more = [self.footprint(name, words(calls)) for calls in (low, high)]
        return {key: (more[key] - fewer[key]) / (high - low) for key in FOOTPRINT}

    def add_footprints(self, call, ours, theirs, goals=None):
        """Adds both footprints to the last row, and a note that compares them. `goals` are the
        maximum values for Lull."""
        row = self.rows[-1]
        row["footprint"], row["reference_footprint"] = ours, theirs
        row["instructions"], row["reference_instructions"] = (
            side["instructions"] for side in (ours, theirs))
        for key, (_, title) in FOOTPRINT.items():
            ratio = f" ({ours[key] / theirs[key]:.2f} ×)" if theirs[key] >= 0.5 else ""
            goal = f", goal: at most {goals[key]:,}" if goals else ""
            self.notes.append(
                f"{row['row']}: {title} per {call}: {ours[key]:,.0f}, reference "
                f"{theirs[key]:,.0f}{ratio}{goal}")

    # Results

    def add(self, name, workload, lull, reference, ratios, goal, unit, at_least=False):
        """Adds a row. `ratios` has one value per run; `lull` and `reference` are the values
        shown."""
        ratio = statistics.median(ratios)
        self.rows.append({
            "row": name, "workload": workload, "lull": lull, "reference": reference, "unit": unit,
            "ratio": ratio, "ratios": ratios, "goal": goal,
            "goal_is": "at least" if at_least else "at most",
            "ok": ratio >= goal if at_least else ratio <= goal})

    def add_limit(self, name, workload, values, limit, unit):
        """Adds a row without a reference. `values` has one value per run, compared with the
        limit."""
        value = statistics.median(values)
        self.rows.append({
            "row": name, "workload": workload, "lull": value, "values": values, "unit": unit,
            "goal": limit, "goal_is": "at most", "ok": value <= limit})
