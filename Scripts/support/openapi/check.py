"""Imports OpenAPI documents, loads the results, and compares requests with openapi-core, or with
bravado-core for Swagger 2.0.

    check.py PROGRAM FOLDER [--requests COUNT] [--jobs COUNT] [--verbose]

Each OpenAPI 3 or Swagger 2.0 document below FOLDER must be imported within 5 s and pass `lull check`, and 99 % of
its operations must become calls or be left out with a reason. From the calls of all documents, Lull
makes COUNT requests (default 10,000) with values that match the schemas. openapi-core must
recognise them as requests of the same operation, and both readers must find the values. Prints differences, then figures. Exits with 1 if
there are any problems.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import yaml

import requests_of

try:
    Loader = yaml.CSafeLoader
except AttributeError:
    Loader = yaml.SafeLoader

METHODS = ["get", "put", "post", "patch", "delete", "head", "options", "trace", "query"]


CLAIM = re.compile(
    rb"^openapi:\s*[\"']?3\.[012]|\"openapi\"\s*:\s*\"3\.[012]|^swagger:\s*[\"']?2\.0|\"swagger\"\s*:\s*\"2\.0", re.M)


class TextLoader(Loader):
    """Loads dates, and the scalar `=`, as strings, as in JSON."""


TextLoader.yaml_implicit_resolvers = {
    key: [(tag, pattern) for tag, pattern in pairs if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")]
    for key, pairs in Loader.yaml_implicit_resolvers.items()
}


def document(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return json.loads(text)
    return yaml.load(text, Loader=TextLoader)


def documents(folder):
    """Yields files that claim to be OpenAPI 3 or Swagger 2.0 documents."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".json", ".yaml", ".yml") and path.is_file():
            if CLAIM.search(path.read_bytes()):
                yield path


def operations(root):
    """Returns the number of operations. Those behind a $ref of a path count as one."""
    count = 0
    for path, item in (root.get("paths") or {}).items():
        if path.startswith("x-") or not isinstance(item, dict):
            continue
        count += sum(1 for method in METHODS if isinstance(item.get(method), dict))
        count += sum(1 for operation in (item.get("additionalOperations") or {}).values() if isinstance(operation, dict))
    return count


class Outcome:
    def __init__(self, path):
        self.path = path
        self.problems = []
        self.seconds = 0.0
        self.operations = 0
        self.calls = 0
        self.left_out = []
        self.refused = None
        self.sent = 0
        self.unjudged = 0
        self.differing = []


def run(program, *words, folder, seconds=60):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
    return subprocess.run(
        [program, *words], cwd=folder, env=environment, capture_output=True, timeout=seconds,
        stdin=subprocess.DEVNULL)


def check(program, path, wanted):
    outcome = Outcome(path)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "apis").mkdir()
        words = ["import", "openapi", str(path), "-o", "apis/x.lua"]
        started = time.monotonic()
        try:
            ending = run(program, *words, folder=folder)
            outcome.seconds = time.monotonic() - started
        except subprocess.TimeoutExpired:
            outcome.problems.append("the import takes more than a minute")
            return outcome
        errors = ending.stderr.decode(errors="replace")
        if ending.returncode == 3 and "--base-url" in errors:
            # Follow the advice in the error message.
            ending = run(program, *words, "--base-url", "https://api.example.com", folder=folder)
            errors = ending.stderr.decode(errors="replace")
        try:
            root = document(path)
            outcome.operations = operations(root)
        except Exception as error:  # Lull must have rejected any invalid document.
            if ending.returncode != 3:
                outcome.problems.append(f"it was imported, and cannot be read otherwise: {error}")
            outcome.refused = errors.strip()
            return outcome
        if ending.returncode == 3:
            outcome.refused = errors.strip()
            return outcome
        if ending.returncode != 0:
            outcome.problems.append(f"exit code {ending.returncode}: {errors.strip()[:500]}")
            return outcome
        outcome.left_out = [line for line in errors.splitlines() if "left out: " in line]
        summary = ending.stdout.decode()
        outcome.calls = int(re.search(r": ([\d,]+) calls?", summary).group(1).replace(",", ""))
        found = run(program, "check", "apis/x.lua", folder=folder)
        text = (found.stdout + found.stderr).decode(errors="replace").strip()
        if text:
            outcome.problems.append(f"lull check: {text[:500]}")
        if wanted:
            requests_of.compare(program, folder, root, path, wanted, outcome, run)
    return outcome


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    paths = list(documents(options.folder))
    if not paths:
        sys.exit("check-openapi: the folder has no OpenAPI document")
    wanted = -(-options.requests // len(paths)) * 2 if options.requests else 0
    wrong = 0
    totals = {"documents": 0, "refused": 0, "operations": 0, "calls": 0, "left out": 0, "requests": 0, "unjudged": 0,
              "differing": 0}
    slowest = ("", 0.0)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(check, options.program, path.resolve(), wanted) for path in paths]
        for job in concurrent.futures.as_completed(jobs):
            outcome = job.result()
            name = outcome.path.name
            totals["documents"] += 1
            totals["refused"] += outcome.refused is not None
            totals["requests"] += outcome.sent
            totals["unjudged"] += outcome.unjudged
            totals["differing"] += len(outcome.differing)
            if outcome.refused is None:
                totals["operations"] += outcome.operations
                totals["calls"] += outcome.calls
                totals["left out"] += len(outcome.left_out)
                told = outcome.calls + len(outcome.left_out)
                if told < 0.99 * outcome.operations:
                    outcome.problems.append(f"{outcome.operations} operations, {told} told")
            if outcome.seconds > slowest[1]:
                slowest = (name, outcome.seconds)
            if outcome.seconds > options.seconds:
                outcome.problems.append(f"the import takes {outcome.seconds:.1f} s")
            for problem in outcome.problems:
                wrong += 1
                print(f"{name}: {problem}")
            if options.verbose:
                for line in outcome.left_out:
                    print(f"{name}: {line}")
                if outcome.refused:
                    print(f"{name}: refused: {outcome.refused}")
            for line in outcome.differing[:5]:
                print(f"{name}: {line}")
    print(", ".join(f"{count} {name}" for name, count in totals.items()))
    print(f"slowest: {slowest[0]}, {slowest[1]:.2f} s")
    sys.exit(1 if wrong or totals["differing"] else 0)


if __name__ == "__main__":
    main()
