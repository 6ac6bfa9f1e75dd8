"""HTTPie, whose items the methods use: checks its requests for every line of a table.

Tests/HTTPie/items.txt contains the table. Tests/HTTPie/answers.txt contains the recorded request of
each line, and HTTPie must still send the same. HTTPieItemTests.swift compares lull's requests with
them.

    python httpie.py --write     runs HTTPie and records its requests
"""
# pip: httpie==3.2.4

import contextlib
import difflib
import io
import os
import pathlib
import re
import socketserver
import sys
import tempfile
import threading

# This file is named like the library, so its folder must not precede the library's.
sys.path = [place for place in sys.path if pathlib.Path(place or ".").resolve() != pathlib.Path(__file__).resolve().parent]

from httpie.context import Environment  # noqa: E402
from httpie.core import main  # noqa: E402

TABLE = pathlib.Path(__file__).resolve().parents[3] / "Tests" / "HTTPie" / "items.txt"
ANSWERS = TABLE.with_name("answers.txt")
OWN = {
    "user-agent": re.compile("HTTPie/[0-9.]+"),
    "accept-encoding": re.compile("gzip, deflate(, br)?(, zstd)?"),
    "accept": re.compile(r"\*/\*"),
}


def split(line):
    """Splits a line into words, as described at the top of the table."""
    words, word, quote = [], None, False
    for letter in line:
        if letter == "'":
            quote = not quote
            word = word or ""
        elif letter == " " and not quote:
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + {"␊": "\n", "␍": "\r", "␉": "\t"}.get(letter, letter)
    return words if word is None else [*words, word]


def read_table():
    """Returns the files, and the lines without their marks."""
    files, lines = {}, []
    for line in TABLE.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        words = split(line)
        if words[0] == "text":
            files[words[1]] = words[2].encode()
        elif words[0] == "bytes":
            files[words[1]] = bytes.fromhex(words[2])
        else:
            lines.append(re.sub("^[a-z-]+ [|] ", "", line))
    return files, lines


class Echo(socketserver.StreamRequestHandler):
    """Stores requests as they arrive."""

    def handle(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.rfile.readline()
            if not line:
                return
            head += line
        found = re.search(rb"\r\ncontent-length: *(\d+)", head, re.I)
        body = self.rfile.read(int(found[1])) if found else b""
        self.server.arrived.append((head.decode("utf-8"), body))
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def escaped(text):
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte != 92 else "\\x%02x" % byte for byte in text)


def shown(head, body, port):
    """Returns a request without parts that vary, or that differ between the programs."""
    lines = head.split("\r\n")[:-2]
    method, target, _ = lines[0].split(" ", 2)
    headers = []
    for line in lines[1:]:
        name, value = line.split(":", 1)
        name, value = name.lower(), value.strip()
        if (name, value) in [("host", f"127.0.0.1:{port}"), ("connection", "keep-alive")]:
            continue
        if name == "content-length" and body and int(value) == len(body):
            value = "(right)"
        headers.append((name, value))
    for number, (name, value) in enumerate(headers):
        found = re.search("boundary=([^;]+)", value)
        if name == "content-type" and found:
            headers[number] = (name, value.replace(found[1], "BOUNDARY"))
            body = body.replace(found[1].encode(), b"BOUNDARY")
    for name, own in OWN.items():
        values = [value for known, value in headers if known == name]
        if not values:
            headers.append((f"no {name}", ""))
        elif own.fullmatch(values[0]):
            headers = [header for header in headers if header[0] != name]
    # A stable sort: headers with the same name keep their order.
    headers.sort(key=lambda header: header[0])
    result = [f"{method} {target}"] + [
        f"{name}: {escaped(value.encode())}" if value else name for name, value in headers]
    return result + (["|" + escaped(body)] if body else [])


def ask(line, server):
    """Returns HTTPie's request for a line."""
    port = server.server_address[1]
    words = split(line)
    source = None
    if "<<<" in words:
        place = words.index("<<<")
        words, source = words[:place], words[place + 1]
    rest = words[1:]
    options = [word for word in rest if word.startswith("-")]
    rest = [word for word in rest if not word.startswith("-")]
    path = rest.pop(0) if rest and rest[0][:1] in ("/", "?") else "/"
    if source is None:
        options.append("--ignore-stdin")
    server.arrived.clear()
    errors = io.StringIO()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile("w+") as output, \
            open(os.devnull, "w", encoding="utf-8") as nothing:
        given.write((source or "").encode())
        given.seek(0)
        environment = Environment(
            stdin=given, stdin_isatty=False, stdout=output, stdout_isatty=False, stderr=errors,
            stderr_isatty=False, devnull=nothing, program_name="http", config_dir=pathlib.Path(os.environ["HOME"]),
            colors=0)
        # The library's own error messages.
        with contextlib.redirect_stderr(errors):
            code = int(main(
                ["http", *options, *(word for word in words[:1] if word != "*"), f"http://127.0.0.1:{port}{path}", *rest], environment))
    if server.arrived:
        return shown(*server.arrived[0], port)
    said = errors.getvalue().splitlines()
    marks = [number for number, text in enumerate(said) if re.fullmatch(r" *\^+", text)]
    if not marks:
        return [f"refused {code}"]
    mark = said[marks[0]]
    start = mark.index("^")
    return [f"refused {code} at {start}+{len(mark) - start} of {escaped(said[marks[0] - 1].encode())}"]


def answers():
    files, lines = read_table()
    result = []
    with tempfile.TemporaryDirectory() as folder, \
            socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        server.arrived = []
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        os.environ["HOME"] = folder
        os.chdir(folder)
        for name, content in files.items():
            pathlib.Path(name).write_bytes(content)
        for line in lines:
            result += ["$ " + line, *ask(line, server), ""]
        os.chdir("/")
        server.shutdown()
    return "\n".join(result)


made = answers()
if sys.argv[1:] == ["--write"]:
    ANSWERS.write_text(made, "utf-8")
elif made != ANSWERS.read_text("utf-8"):
    print("HTTPie makes something else of Tests/HTTPie/items.txt than Tests/HTTPie/answers.txt has:")
    print("\n".join(difflib.unified_diff(
        ANSWERS.read_text("utf-8").splitlines(), made.splitlines(), "kept", "now", lineterm="")))
    sys.exit(1)
