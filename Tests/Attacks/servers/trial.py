"""Runs lull against one case, twice, and says what is wrong with what it did."""

import multiprocessing
import os
import resource
import signal
import subprocess
import threading
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PROGRAM = os.environ.get("LULL_PROGRAM") or str(FOLDER.parents[2] / ".build/release/lull")
# Seconds beyond the time-out of the client, for a machine that is busy with other things.
PATIENCE = 30


class Ending:
    """How a process ended."""

    def __init__(self, code, output, errors, megabytes, seconds, is_killed):
        self.code, self.output, self.errors = code, output, errors
        self.megabytes, self.seconds, self.is_killed = megabytes, seconds, is_killed


class Runner:
    """Processes that start others: what these have at most includes what their parent had when it
    started them, so that has to be little. To be made before anything needs memory."""

    def __init__(self, count):
        self.pool = multiprocessing.get_context("fork").Pool(count)

    def run(self, words, patience):
        return self.pool.apply(run, (words, patience))

    def close(self):
        self.pool.terminate()
        self.pool.join()


def run(words, patience):
    def restrict():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    start = time.monotonic()
    child = subprocess.Popen(
        [PROGRAM, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=restrict,
    )
    killed = threading.Event()

    def kill():
        killed.set()
        child.kill()

    watchdog = threading.Timer(patience, kill)
    watchdog.start()
    errors = []
    reader = threading.Thread(target=lambda: errors.append(child.stderr.read()))
    reader.start()
    output = child.stdout.read()
    reader.join()
    _, status, usage = os.wait4(child.pid, 0)
    watchdog.cancel()
    child.stdout.close()
    child.stderr.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Ending(
        child.returncode,
        output,
        errors[0].decode(errors="replace"),
        usage.ru_maxrss / 1024,
        time.monotonic() - start,
        killed.is_set(),
    )


class Trial:
    def __init__(self, server, runner):
        self.server, self.runner = server, runner
        empty = FOLDER / "empty.lua"
        self.base = runner.run([str(empty)], PATIENCE).megabytes

    def complaints(self, case):
        yield from self.probed(case)
        if case.verb and case.method == "GET":
            yield from self.got(case)

    def settings(self, case):
        inside = [case.settings.strip().removeprefix("{").removesuffix("}").strip()]
        if case.scheme in ("https", "h2") and case.trusts:
            inside.append(f"ca_file = '{self.server.certificate}'")
        if case.scheme == "h2c":
            inside.append("http_version = '2'")
        return "{ " + ", ".join(part for part in inside if part) + " }"

    def probed(self, case):
        words = [
            str(FOLDER / "probe.lua"),
            self.server.url(case),
            case.method,
            str(case.seconds),
            str(case.upload),
            self.settings(case),
        ]
        ending = self.runner.run(words, case.seconds + PATIENCE)
        told = {}
        for line in ending.output.decode(errors="replace").splitlines():
            name, _, value = line.partition("=")
            told[name] = value
        yield from self.common(case, "the probe", ending)
        if ending.code != 0 or "fine" not in told:
            yield f"the probe ended with {ending.code}: {ending.errors.strip()[:400]}"
            return
        # Nobody else is where a connection is all that there is.
        # What a changed answer has too much of may come when the next request has gone out.
        is_mixed = case.outcome is None and "not valid HTTP" in told["fine"]
        if told["fine"] != "fine" and not is_mixed and case.scheme != "raw" and case.trusts:
            yield f"the next request failed: {told['fine']}"
        if case.outcome:
            complaint = case.outcome.complaint(told)
            if complaint:
                yield complaint

    def got(self, case):
        words = ["get", self.server.url(case), "--timeout", str(case.seconds), "-o", "raw"]
        if case.scheme in ("https", "h2") and case.trusts:
            words.append("--insecure")
        if case.scheme == "h2c":
            return
        ending = self.runner.run(words, case.seconds + PATIENCE)
        yield from self.common(case, "lull get", ending, memory=max(case.memory, 96))
        # Parsed by its type, content may fail besides.
        if case.outcome and ending.code not in case.outcome.exit_codes | {1}:
            yield f"lull get ended with {ending.code}: {ending.errors.strip()[:400]}"
        if ending.code == 1 and case.outcome and 1 not in case.outcome.exit_codes:
            yield f"lull get ended with 1: {ending.errors.strip()[:400]}"
        if any(ord(letter) < 32 and letter not in "\n\t" for letter in ending.errors):
            yield f"control characters on stderr: {ending.errors!r:.400}"

    def common(self, case, who, ending, memory=None):
        if ending.is_killed:
            yield f"{who} hangs: not over after {ending.seconds:.0f} s"
        elif ending.code < 0:
            yield f"{who} died of {signal.Signals(-ending.code).name}: {ending.errors.strip()[-400:]}"
        yield from self.kept(case, who, ending, memory)

    def kept(self, case, who, ending, memory=None):
        """Whether it kept within its memory."""
        most = self.base + (memory or case.memory)
        if ending.megabytes > most:
            yield f"{who} needed {ending.megabytes:.0f} MB, more than {most:.0f}"
