"""Sends requests of an imported document's calls to a server here, and compares the interpretation
of openapi-core, or of bravado-core for Swagger 2.0."""
import collections
import http.server
import json
import re
import threading
import urllib.parse

from openapi_core import Config, OpenAPI
from openapi_core.testing import MockRequest

import swagger_of
from values import Impossible, Values

# The parameters of the file by call: key, place, name in the request, and whether it is the body.
DESCRIBE = """
local lull = require "lull"
local file = dofile("apis/x.lua")
local bodiless = { GET = true, HEAD = true, DELETE = true, OPTIONS = true }
local calls = {}
for name, call in pairs(file.calls) do
  local method = call.method or "GET"
  local params = {}
  for key, param in pairs(call.params or {}) do
    local said = type(param) == "table" and #param == 0 and param or {}
    local place = said.place
    if call.path:find("{" .. key .. "}", 1, true) and not place then place = "path" end
    if not place then place = (said.whole or not bodiless[method]) and "body" or "query" end
    local given = said.default ~= nil
    params[#params + 1] = {
      key = key, place = place, name = said.name or key, whole = said.whole or false, given = given,
      required = said.required or false,
      list = said.list or tostring(said.type or param):match("%[%]$") ~= nil,
      type = said.type or (type(param) == "string" and param) or "",
    }
  end
  calls[#calls + 1] = { name = name, method = method, path = call.path, body = call.body or "json", params = params }
end
print(lull.json.encode(calls))
"""

SEND = """
local lull = require "lull"
local api = lull.api("x")
for line in io.lines("requests.txt") do
  if line == "" then break end
  local wanted = lull.json.decode(line)
  local fine, problem = pcall(function()
    for key, value in pairs(wanted.files) do wanted.params[key] = lull.file(value) end
    return api.calls[wanted.call](wanted.params):await()
  end)
  if not fine then print(lull.json.encode{ number = wanted.number, problem = tostring(problem) }) end
end
"""


class Unjudged(Exception):
    """openapi-core can't judge the request, or rejects a value that was transferred correctly."""


class Server:
    """Accepts and stores all requests."""

    def __init__(self):
        taken = self.taken = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if (self.headers.get("Transfer-Encoding") or "").lower() == "chunked":
                    while True:
                        size = int(self.rfile.readline().split(b";")[0], 16)
                        body += self.rfile.read(size)
                        self.rfile.readline()
                        if size == 0:
                            break
                taken.append((self.command, self.path, self.headers, body))
                self.send_response(204)
                self.end_headers()

            def __getattr__(self, name):
                if name.startswith("do_"):
                    return self.handle_any
                raise AttributeError(name)

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def template(path):
    return re.sub(r"\{[^}]*\}", "{}", path.split("#")[0])


def plain(value):
    """Converts values that are equal in Lua: an integral number is an integer, however it is
    written."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def is_same(came, given):
    if isinstance(given, str) and not isinstance(came, str):
        # A date, or another type that a format turns a string into.
        return not isinstance(came, (int, float, list, dict))
    if isinstance(given, list) and isinstance(came, (list, tuple)) and len(came) == len(given):
        return all(is_same(one, other) for one, other in zip(came, given))
    if isinstance(given, dict) and isinstance(came, dict) and came.keys() == given.keys():
        return all(is_same(came[key], given[key]) for key in given)
    return plain(came) == plain(given)


def readable(node):
    """Adapts the document where openapi-core deviates from the standard: headers that are not
    parameters, and names in upper case."""
    if isinstance(node, list):
        return [readable(one) for one in node if not is_no_parameter(one)]
    if not isinstance(node, dict):
        return node
    made = {key: readable(value) for key, value in node.items()}
    if made.get("type") == "http" and isinstance(made.get("scheme"), str):
        made["scheme"] = made["scheme"].lower()
    if is_no_parameter(made):
        # In the components, it may be referenced but is never required.
        made = {"name": made["name"], "in": "header", "schema": {}}
    return made


def is_no_parameter(node):
    # "If in is header and the name field is Accept, Content-Type or Authorization, [it] SHALL be ignored."
    return isinstance(node, dict) and node.get("in") == "header" and \
        str(node.get("name")).lower() in ("accept", "content-type", "authorization") and "type" not in node


def compare(program, folder, root, path, wanted, outcome, run):
    server = Server()
    try:
        compare_by(server, program, folder, root, path, wanted, outcome, run)
    finally:
        server.close()


def compare_by(server, program, folder, root, path, wanted, outcome, run):
    for name in ("x.lua", "x.lua.imported", "x.schemas.json"):
        (folder / "apis" / name).unlink(missing_ok=True)
    ending = run(
        program, "import", "openapi", str(path), "-o", "apis/x.lua", "--base-url", server.url, folder=folder)
    source = (folder / "apis/x.lua").read_text()
    # Other keys of the file refer to files that this program does not have.
    source = re.sub(r"^  schemas = .*\n", "", source, flags=re.M)
    environment = set(re.findall(r'env(?: = |\()"([A-Z0-9_]+)"', source))
    has_tokens = "oauth2_" in source
    if has_tokens:
        source = re.sub(r"\nreturn \{", "\napi:configure{ auth = false }\nreturn {", source, count=1)
    (folder / "apis/x.lua").write_text(source)
    prefix = [f'{name}=secret' for name in environment]
    (folder / "describe.lua").write_text(DESCRIBE)
    (folder / "send.lua").write_text(SEND)
    (folder / "file.bin").write_bytes(b"\x89PNG\x00\xff content")
    described = run("env", *prefix, program, "describe.lua", folder=folder)
    if described.returncode != 0:
        outcome.problems.append("the file does not load: " + described.stderr.decode()[:300])
        return
    calls = json.loads(described.stdout)
    if "swagger" in root:
        compare_swagger(server, program, folder, root, outcome, run, calls, prefix, wanted)
        return
    spec = readable(root)
    spec["servers"] = [{"url": server.url}]
    # Servers of a path or operation with variables would change the URL.
    for item in spec.get("paths", {}).values():
        if isinstance(item, dict):
            item.pop("servers", None)
            for operation in item.values():
                if isinstance(operation, dict):
                    operation.pop("servers", None)
                    if has_tokens:
                        operation.pop("security", None)
    if has_tokens:
        spec.pop("security", None)
    values = Values(spec)
    found = {}
    for name, item in spec.get("paths", {}).items():
        # Paths that differ only in their fragments are equal when sent.
        if "#" in name or "?" in name:
            continue
        for method, operation in (item if isinstance(item, dict) else {}).items():
            if isinstance(operation, dict) and method in (
                "get", "put", "post", "patch", "delete", "head", "options"):
                found[(method.upper(), template(name))] = (name, item, operation)
    requests = requests_of(calls, found, values, wanted)
    refused = send(requests, program, folder, outcome, run, prefix)
    if refused is None:
        return
    types = set(re.findall(r"[\w.-]+/[\w.+-]+\+json", json.dumps(spec, default=str)))
    checker = OpenAPI.from_dict(
        spec, config=Config(spec_validator_cls=None, extra_media_type_deserializers={name: json.loads for name in types}))
    judge(server, requests, refused, outcome, lambda made, place, *request: difference(
        checker, server.url, made, *request))


def requests_of(calls, found, values, wanted):
    """Makes requests of calls, each with the place of its operation in the document."""
    # If calls are equal when sent, they can't be distinguished.
    places = collections.Counter((call["method"], template(call["path"])) for call in calls)
    calls = [call for call in calls if places[(call["method"], template(call["path"]))] == 1]
    requests = []
    turn = 0
    while len(requests) < wanted and calls and turn < 12:
        for call in calls:
            place = found.get((call["method"], template(call["path"])))
            if place is None:
                continue
            try:
                made = values.request(call, *place[1:], turn)
            except Impossible:
                continue
            made.update(number=len(requests), call=call["name"])
            requests.append((made, place))
            if len(requests) >= wanted:
                break
        turn += 1
    return requests


def send(requests, program, folder, outcome, run, prefix):
    """Sends the requests. Returns the problems of those that Lull refuses, by number."""
    lines = [
        json.dumps({key: made[key] for key in ("number", "call", "params", "files")}) for made, _ in requests]
    (folder / "requests.txt").write_text("\n".join(lines) + "\n")
    ending = run("env", *prefix, program, "send.lua", folder=folder, seconds=300)
    if ending.returncode != 0:
        outcome.problems.append("requests cannot be sent: " + ending.stderr.decode(errors="replace")[:300])
        return None
    refused = {}
    for line in ending.stdout.decode().splitlines():
        told = json.loads(line)
        refused[told["number"]] = told["problem"]
    return refused


def judge(server, requests, refused, outcome, difference):
    sent = iter(server.taken)
    for made, place in requests:
        title = f"{made['call']}"
        if made["number"] in refused:
            outcome.sent += 1
            outcome.differing.append(f"{title}: Lull: {refused[made['number']].splitlines()[0][:200]} {json.dumps(made['params'])[:200]}")
            continue
        method, target, headers, body = next(sent, (None, None, None, None))
        if method is None:
            outcome.differing.append(f"{title}: nothing came")
            return
        try:
            problem = difference(made, place, method, target, headers, body)
        except Unjudged:
            outcome.unjudged += 1
            continue
        outcome.sent += 1
        if problem:
            outcome.differing.append(f"{title}: {problem[:400]} in {method} {target[:200]}")


def compare_swagger(server, program, folder, root, outcome, run, calls, prefix, wanted):
    """Compares requests of a Swagger 2.0 document with the values that bravado-core finds."""
    reader = swagger_of.Reader(root)
    found = {}
    for method, name, item, operation in reader.operations():
        found[(method.upper(), template(name))] = (name, item, operation)
    requests = requests_of(calls, found, reader.values, wanted)
    refused = send(requests, program, folder, outcome, run, prefix)
    if refused is None:
        return
    judge(server, requests, refused, outcome, lambda made, place, method, *request: swagger_difference(
        reader, made, place, method, *request))


def swagger_difference(reader, made, place, method, target, headers, body):
    try:
        came = reader.read(*place, method.lower(), target, headers, body)
    except (TypeError, KeyError, AttributeError, IndexError, RecursionError):
        # bravado-core can't read some documents.
        raise Unjudged from None
    except Exception as error:
        text = f"{type(error).__name__} {error}"
        if "Ref" in text or "ref" in text or "Don't know how to unmarshal value" in text:
            raise Unjudged from None
        return f"bravado-core: {type(error).__name__}: {error}"
    for location, expected in made["expected"].items():
        for name, value in expected.items():
            if came.get(name) is None:
                return f"{location} {name}: nothing came, {value!r} was given"
            if location == "body" and "form" in (headers.get("Content-Type") or ""):
                sent = {key: plain_text(one) for key, one in value.items() if not isinstance(one, (list, dict))}
                if any(plain_text(came[name].get(key, "")) != text for key, text in sent.items()):
                    return f"body {name}: {came[name]!r} came, {value!r} was given"
                continue
            if not is_same(came[name], value):
                return f"{location} {name}: {came[name]!r} came, {value!r} was given"
    return None


def is_of_the_value(error, made, request, body):
    """Whether a value was transferred correctly, but openapi-core rejects it: formats, nesting,
    enumerations."""
    text = f"{error!r} {error.__cause__!s}"
    # It does not support lists in this style, and treats the rest of a path segment as part of a
    # parameter.
    if "'deepObject'" in text or "Failed to cast" in text and error.location == "path":
        return True
    if "Formatter not found" in text or "Deserializer" in text and "not found" in text:
        return True
    if "RequestBody" in type(error).__name__ and body:
        if "json" in (request.content_type or ""):
            return plain(json.loads(body)) == plain(made["body"])
        if made["raw"]:
            return body in (b"a raw text", b"\x89PNG\x00\xff content")
        pairs = dict(urllib.parse.parse_qsl(body.decode(errors="replace"), keep_blank_values=True))
        return isinstance(made["body"], dict) and pairs == {
            name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in made["body"].items()}
    if type(error).__name__ in ("InvalidParameter", "InvalidHeader", "ParameterValidationError"):
        given = made["expected"].get(error.location, {}).get(error.name)
        if given is None and error.location == "path":
            # It has chosen another template that matches the path too.
            return True
        if given is None and error.name not in getattr(request.parameters, error.location):
            # Nothing was given and nothing was sent: the document's own default is invalid.
            return "not valid for schema" in text
        if given is None or isinstance(given, (list, dict)):
            return given is not None and "not valid for schema" in text
        came = getattr(request.parameters, error.location).get(error.name)
        if error.location == "path":
            return "not valid for schema" in text
        return came is not None and plain_text(came) == plain_text(given)
    return False


def plain_text(value):
    text = str(plain(value))
    return text.lower() if isinstance(value, bool) else text


def difference(checker, url, made, method, target, headers, body):
    path, _, query = target.partition("?")
    arguments = {}
    for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True):
        arguments.setdefault(name, []).append(value)
    from werkzeug.datastructures import ImmutableMultiDict
    pairs = [(name, value) for name, values in arguments.items() for value in values]
    cookies = dict(
        pair.split("=", 1) for pair in (headers.get("Cookie") or "").split("; ") if "=" in pair)
    request = MockRequest(
        url, method.lower(), urllib.parse.unquote(path), args=ImmutableMultiDict(pairs),
        headers={name: value for name, value in headers.items()},
        cookies={name: urllib.parse.unquote(value) for name, value in cookies.items()},
        data=body if body else None, content_type=headers.get("Content-Type") or "")
    try:
        result = checker.unmarshal_request(request)
    except Exception as error:  # openapi-core can't read some documents.
        if isinstance(error, (TypeError, KeyError, AttributeError, re.error)) or "Unresolvable" in type(error).__name__:
            raise Unjudged from None
        return f"openapi-core: {type(error).__name__}: {error}"
    if result.errors and all(is_of_the_value(error, made, request, body) for error in result.errors):
        raise Unjudged
    if result.errors:
        causes = [f"{error!r} {error.__cause__!s}"[:300] for error in result.errors]
        return "openapi-core: " + "; ".join(causes)
    for place, expected in made["expected"].items():
        given = getattr(result.parameters, place)
        for name, value in expected.items():
            if place == "path" and name in given and str(given[name]).startswith(f"{value}:"):
                # `{name}` has matched the text of `{name}:verb`.
                raise Unjudged
            if name in given and not is_same(given[name], value):
                return f"{place} {name}: {given[name]!r} came, {value!r} was given"
            if name not in given and place == "path":
                # It has chosen another template that matches the path too.
                raise Unjudged
            if name not in given and isinstance(value, dict):
                # It does not find members of an object that are separate parameters.
                raise Unjudged
            if name not in given:
                return f"{place} {name}: nothing came, {value!r} was given"
    return None
