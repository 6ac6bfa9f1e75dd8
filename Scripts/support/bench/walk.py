"""Traces three walks through Lull's functions and files; see Scripts/support/trace-load."""

import collections
import http.server
import os
import re
import sys
import tempfile
import threading
import time

from harness import HERE, Failure, run

# Repetitions in the two runs; the calls of one more repetition are the difference, divided.
REPETITIONS = (20, 120)

# By walk (see walk.lua) and figure: the most that it may be today, and the goal. Today's figures only go
# down: when a change makes one smaller, write the new one here.
WALKS = {
    "load": {"functions": (587, 350), "files": (129, 75), "upward": (0, 0)},
    "configuration": {"files": (71, 50), "upward": (0, 0)},
    "observer": {"files": (54, 40), "upward": (0, 0)},
}

# From the ground up, as Scripts/support/check-boundaries.sh and check-floors have them: the folders of each
# floor. Others are on no floor.
FLOORS = [
    ["Sources/CLullLedger"], ["Sources/CLullMalloc"], ["Sources/System"], ["Sources/CSimdjson"],
    ["Sources/LullSystem"],
    *([f"Sources/LullCore/{name}" for name in floor.split()]
      for floor in run([f"{HERE}/../check-floors", "--list"]).splitlines()),
    ["Sources/LullTransport"], ["Sources/CLullBridge"], ["Sources/LullHost"], ["Sources/LullClients"],
    ["Sources/LullREPL"], ["Sources/lull"],
]

# What only debug builds have: the proofs of what the bridge's functions do to the stack.
PROOFS = "Sources/CLullBridge/base/lull_stack.c"


class Calls:
    """What calls what, how often, in one run under callgrind."""

    # `fn=(2) name` gives a number to a name, `fn=(2)` uses it; with a `c` before it is that of a call.
    # (Callgrind Format Specification)
    LINE = re.compile(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$")

    def __init__(self, path, program):
        self.counts = collections.Counter()
        self.objects = {}
        self.program = program
        names, objects = {}, {}
        present = {"ob": None, "fn": None}
        called = {"ob": None, "fn": None}
        with open(path) as lines:
            for line in lines:
                match = self.LINE.match(line)
                if match:
                    is_call, kind, number, name = match.groups()
                    known = objects if kind == "ob" else names
                    if name:
                        known[number] = name
                    (called if is_call else present)[kind] = known[number]
                elif line.startswith("calls="):
                    count = int(line[6:].split()[0])
                    caller = self.symbol(present["fn"], present["ob"])
                    callee = self.symbol(called["fn"], called["ob"] or present["ob"])
                    self.counts[caller, callee] += count
                    called["ob"] = None

    def symbol(self, name, object):
        """A name that no function of another library has: those of CCurl are also libcurl's."""
        # A function inside itself is called 'name'2'.
        name = re.sub(r"'\d+$", "", name)
        if object != self.program:
            name = f"{os.path.basename(object)}:{name}"
        self.objects[name] = object
        return name


class Function:
    """A symbol of Lull's: where it is written, and what it belongs to."""

    def __init__(self, symbol, place, text, root):
        self.symbol, self.text = symbol, text
        path, _, line = place.partition(":")
        self.file = path if path.startswith("Sources/") and line.split()[0] not in ("0", "?") else None
        self.source = self.file and (os.path.join(root, self.file), int(line.split()[0]))
        # A closure is a part of the function it stands in, as is what that defers, and an accessor of its
        # property.
        whole = re.sub(r"^\$defer #\d+ (\(\)|<\w+>\(\)) in ", "", text)
        is_closure = whole.startswith("closure #")
        while re.match(r"(implicit )?closure #", whole):
            whole = whole.split(" in ", 1)[1]
        # What a lower floor has left for others to fill in.
        self.is_filling = is_closure or self.source is not None and self.is_override(*self.source)
        whole = re.sub(r"\.(getter|setter|modify|read|didset|willset)\b.*$", "", whole)
        whole = re.sub(r"\.__(de)?allocating_", ".", whole)
        self.whole = (self.file, whole)

    @staticmethod
    def is_override(path, line):
        """Whether the declaration there says so, which may begin some lines further up."""
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for text in reversed(lines[max(0, line - 3):line]):
            if re.search(r"\b(func|var|init|subscript)\b", text):
                return re.search(r"\boverride\b", text) is not None
        return False

    @property
    def is_written(self):
        """Whether it is there in the source, and not made by the compiler."""
        return self.file is not None and self.file != PROOFS and not self.is_synthesised and not re.match(
            r"(partial apply|protocol witness|(reabstraction )?thunk|outlined|lazy |type metadata|"
            r"default argument|implicit closure)", self.text)

    @property
    def is_synthesised(self):
        """Whether it is the initialiser or deinitialiser of a type that declares none, what stands before a
        constant, or a template of the C++ library's."""
        if re.match(r"_ZNK?St", self.symbol) or self.text.endswith(".unsafeMutableAddressor"):
            return True
        if not re.search(r"\.(__(de)?allocating_)?(de)?init(\(|$)", self.text):
            return False
        path, line = self.source
        with open(path, encoding="utf-8") as file:
            written = file.read().split("\n")[line - 1]
        return re.search(r"\b(class|struct|enum)\b", written) is not None


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers so late that the event loop always waits: the walk is the same on a busy machine."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        body = b'{"id":1234567,"name":"Kilauea","status":"active ok !"}'
        time.sleep(0.03)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def calls_of(name, lull, folder, url):
    """The calls of one repetition of a walk, and the objects of the functions."""
    runs = []
    for count in REPETITIONS:
        profile = os.path.join(folder, f"callgrind.{name}.{count}")
        run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}",
             f"--log-file={profile}.log", lull, "run", os.path.join(HERE, "walk.lua"), name, url,
             str(count)])
        runs.append(Calls(profile, lull))
    few, many = runs
    more = REPETITIONS[1] - REPETITIONS[0]
    # What happens now and then is no part of the walk.
    calls = {
        edge for edge, count in many.counts.items() if (count - few.counts[edge]) / more >= 0.9}
    return calls, many.objects


def functions_of(lull, root, symbols):
    """The functions by their symbols."""
    addresses = {}
    for line in run(["nm", lull]).splitlines():
        words = line.split()
        if len(words) == 3 and words[2] in symbols:
            addresses[words[2]] = words[0]
    known = sorted(addresses)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join("0x" + addresses[symbol] for symbol in known) + "\n")
        file.flush()
        places = run(["addr2line", "-e", lull, f"@{file.name}"]).splitlines()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(known) + "\n")
        file.flush()
        with open(file.name) as text:
            texts = run(["swift", "demangle", "-simplified"], stdin=text).splitlines()
    if not len(known) == len(places) == len(texts):
        raise Failure("addr2line or swift demangle has left something out")
    return {
        symbol: Function(
            symbol, os.path.relpath(place, root) if place.startswith("/") else place, text, root)
        for symbol, place, text in zip(known, places, texts)}


class Walk:
    def __init__(self, calls, objects, functions, lull):
        self.calls, self.objects, self.functions = calls, objects, functions
        self.lull = lull
        self.callers = collections.defaultdict(set)
        for caller, callee in calls:
            self.callers[callee].add(caller)
        self.written = {
            symbol for edge in calls for symbol in edge
            if symbol in functions and functions[symbol].is_written}
        self.wholes = {functions[symbol].whole for symbol in self.written}
        self.files = {file for file, _ in self.wholes}
        # Per function who calls it from another file: that file or library, and whether by its name.
        self.entries = collections.defaultdict(set)
        for symbol in self.written:
            function = functions[symbol]
            for caller, is_direct in self.sources(symbol, not function.is_filling, set()):
                place = functions[caller].file if caller in self.written else self.library(caller)
                if place != function.file:
                    self.entries[function.whole].add(
                        (place, functions[caller].whole[1] if caller in self.written else "", is_direct))

    def library(self, symbol):
        return os.path.basename(self.objects.get(symbol) or "?")

    def sources(self, symbol, is_direct, seen):
        """Who calls it, past what the compiler has put in between."""
        for caller in self.callers[symbol] - seen:
            seen.add(caller)
            if caller in self.written or self.objects.get(caller) != self.lull:
                yield caller, is_direct
            else:
                yield from self.sources(caller, False, seen)

    @staticmethod
    def floor(path):
        found = [index for index, folders in enumerate(FLOORS)
                 if any(path.startswith(folder + "/") for folder in folders)]
        return found[0] if found else None

    def upward(self):
        """Calls by name into a higher floor. What a lower one declares for others to fill in, a closure, a
        method that is overridden, a protocol's requirement or one of the bridge's `lull_host_` functions, is
        not one."""
        for (file, name), sources in self.entries.items():
            if name.startswith("lull_host_"):
                continue
            for place, caller, is_direct in sources:
                here, there = self.floor(place), self.floor(file)
                if is_direct and here is not None and there is not None and here < there:
                    yield f"{place}: {caller} → {file}: {name}"


    def figures(self):
        return {
            "functions": len(self.wholes), "files": len(self.files), "entries": len(self.entries),
            "upward": len(set(self.upward()))}


def report(walk, shows_calls):
    per_file = {
        file: (sum(1 for place, _ in walk.wholes if place == file),
               sum(1 for place, _ in walk.entries if place == file))
        for file in walk.files}
    for file, (functions, entries) in sorted(
            per_file.items(), key=lambda item: (walk.floor(item[0]) or 0, item[0])):
        print(f"{functions:5d} {entries:5d}  {file}")
    once = sum(1 for _, entries in per_file.values() if entries == 1)
    print("(functions, those of them entered from another file)\n")
    if shows_calls:
        for (file, name), sources in sorted(walk.entries.items()):
            for place, caller, is_direct in sorted(sources):
                print(f"{place}: {caller or '(library)'} {'→' if is_direct else '⇢'} {file}: {name}")
    print(f"{once} of {len(walk.files)} files are entered by one function only")


def compare(name, walk):
    """Prints the figures of a walk; whether none is above today's."""
    is_right = True
    for line in sorted(set(walk.upward())):
        print(f"upward: {line}")
    for figure, value in walk.figures().items():
        note = ""
        if figure in WALKS[name]:
            most, goal = WALKS[name][figure]
            note = f"  (goal: at most {goal})"
            if value > most:
                is_right = False
                note += f": too many, at most {most}"
            elif value < most:
                note += f": write it into bench/walk.py, which has {most}"
        print(f"{name:13}  {figure:9} {value:5d}{note}")
    return is_right


def main():
    lull, root, *options = sys.argv[1:]
    names = [option for option in options if not option.startswith("--")] or list(WALKS)
    unknown = [name for name in names if name not in WALKS]
    if unknown:
        raise Failure(f"unknown walk '{unknown[0]}' (expected one of {', '.join(WALKS)})")
    options = [option for option in options if option.startswith("--")]
    if options not in ([], ["--files"], ["--calls"]):
        raise Failure("the options are --files and --calls, one of them")
    lull, root = os.path.abspath(lull), os.path.realpath(root)
    is_right = True
    with tempfile.TemporaryDirectory(prefix="lull-walk.") as folder:
        # Valgrind stumbles over the debug information of Swift's.
        stripped = os.path.join(folder, "lull")
        run(["objcopy", "--strip-debug", lull, stripped])
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}"
            walks = {name: calls_of(name, stripped, folder, url) for name in names}
            server.shutdown()
    symbols = {
        symbol for calls, objects in walks.values() for edge in calls for symbol in edge
        if objects.get(symbol) == stripped}
    functions = functions_of(lull, root, symbols)
    if not any(function.file for function in functions.values()):
        raise Failure(f"{lull} has no debug information of {root}/Sources")
    for name, (calls, objects) in walks.items():
        walk = Walk(calls, objects, functions, stripped)
        if options:
            report(walk, options == ["--calls"])
        is_right &= compare(name, walk)
    if not is_right:
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"trace-load: {failure}")
