"""What the workloads share: running commands by turns, counting instructions, keeping results."""

import os
import re
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND_TIMEOUT = 600
# What a footprint counts: the label in cachegrind's summary, and its title in the notes. Instructions are those
# outside the kernel.
FOOTPRINT = {
    "instructions": ("I +refs", "instructions"),
    "i1_misses": ("I1 +misses", "I1 misses"),
    "d1_misses": ("D1 +misses", "D1 misses"),
    "mispredictions": ("Mispredicts", "mispredicted branches"),
}
# The same caches on every machine: size, ways, bytes a line.
SIMULATED_CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")


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
    # What goes on in another way than was to be measured is no figure.
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
        """The words that run a Lua file of this folder under lull."""
        return [self.lull, "run", self.file(name), *map(str, arguments)]

    def keep_state_apart(self):
        """Has lull keep what it knows in a folder of this run."""
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
        """Calls every side once per run, by turns and each first as often; a list per side."""
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
        """Whether they are wanted and can be counted."""
        if self.options.instructions == "no":
            return False
        if shutil.which("valgrind"):
            return True
        if self.options.instructions == "yes":
            raise Failure("valgrind was not found")
        return False

    def under_valgrind(self, name, words, *options):
        """What valgrind says at the end of a run."""
        if self._stripped is None:
            # Valgrind stumbles over the debug information of Swift's.
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
        """How many instructions a run takes."""
        log = self.under_valgrind(name, words, "--tool=callgrind", "--callgrind-out-file=/dev/null")
        return int(re.search(r"Collected : (\d+)", log).group(1))

    def instructions_per_call(self, name, words, low, high):
        """What one call more takes: `words(calls)` is run with `low` and with `high` calls."""
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
        """The counts for one more call: `words(calls)` runs with `low` and with `high` calls."""
        fewer, more = [self.footprint(name, words(calls)) for calls in (low, high)]
        return {key: (more[key] - fewer[key]) / (high - low) for key in FOOTPRINT}

    def add_footprints(self, call, ours, theirs, goals=None):
        """Adds both footprints to the last row, and a note that compares them. `goals` holds the most that
        Lull should need."""
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
        """`ratios` has one per run; `lull` and `reference` are what to show of the two."""
        ratio = statistics.median(ratios)
        self.rows.append({
            "row": name, "workload": workload, "lull": lull, "reference": reference, "unit": unit,
            "ratio": ratio, "ratios": ratios, "goal": goal,
            "goal_is": "at least" if at_least else "at most",
            "ok": ratio >= goal if at_least else ratio <= goal})

    def add_limit(self, name, workload, values, limit, unit):
        """`values` has one per run, and is compared with nothing but the limit."""
        value = statistics.median(values)
        self.rows.append({
            "row": name, "workload": workload, "lull": value, "values": values, "unit": unit,
            "goal": limit, "goal_is": "at most", "ok": value <= limit})
