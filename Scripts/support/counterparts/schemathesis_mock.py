"""schemathesis, which sends `lull mock` valid and invalid requests of an OpenAPI document, and
checks the responses against it."""
# pip: schemathesis==4.32.5

import json
import os
import pathlib
import subprocess
import sys
import tempfile

USER = {
    "type": "object", "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer", "minimum": 1}, "name": {"type": "string", "minLength": 1},
        "born": {"type": "string", "format": "date"}, "role": {"enum": ["admin", "guest"]},
        "boss": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/user"}]},
    },
}
NEW = {
    "type": "object", "required": ["name"], "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "uniqueItems": True},
    },
}
ONE = {"$ref": "#/$defs/user"}
CALLS = {
    "user": {"responses": {"200": ONE}, "parameters": {"id": {"type": "integer", "minimum": 1}}},
    "users": {
        "responses": {"200": {"type": "array", "items": ONE}},
        "parameters": {"limit": {"type": "integer", "minimum": 1, "maximum": 100}, "kind": {"enum": ["cat", "dog"]}},
    },
    "add": {"responses": {"201": ONE}, "body": {"$ref": "#/$defs/new"}},
}
FILE = """
local lull = require "lull"
return { service = lull.service("https://api.shop.test/v2"), schemas = "shop.schemas.json", calls = {
  user = { path = "/users/{id}", params = { id = "integer" } },
  users = { path = "/users", params = { limit = "integer", kind = { "cat", "dog" } } },
  add = { path = "/users", method = "POST", params = { name = { type = "string", required = true }, tags = "json" } },
} }
"""


def operation(name, place):
    call = CALLS[name]
    made = {"operationId": name, "responses": {"400": {"description": "wrong"}, "415": {"description": "no JSON"}}}
    for status, schema in call["responses"].items():
        made["responses"][status] = {"description": "", "content": {"application/json": {"schema": schema}}}
    made["parameters"] = [
        {"name": key, "in": place, "required": place == "path", "schema": schema}
        for key, schema in call.get("parameters", {}).items()
    ]
    if "body" in call:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": call["body"]}}}
    return made


def document():
    whole = {
        "openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
        "paths": {
            "/users/{id}": {"get": operation("user", "path")},
            "/users": {"get": operation("users", "query"), "post": operation("add", "query")},
        },
        "components": {"schemas": {"user": USER, "new": NEW}},
    }
    return json.dumps(whole).replace("#/$defs/", "#/components/schemas/")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "shop.lua").write_text(FILE)
    (folder / "shop.schemas.json").write_text(json.dumps({"calls": CALLS, "$defs": {"user": USER, "new": NEW}}))
    (folder / "openapi.json").write_text(document())
    mock = subprocess.Popen(
        [os.environ["LULL_PROGRAM"], "mock", "./shop.lua", "--quiet"], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        url = mock.stdout.readline().split()[0]
        tester = [str(pathlib.Path(sys.executable).parent / "schemathesis"), "run", "openapi.json", "--url", url]
        ending = subprocess.run(
            tester + ["--max-examples", "50", "--seed", "1", "--no-color"], cwd=folder, capture_output=True, text=True)
    finally:
        mock.terminate()
        mock.wait()
if ending.returncode != 0:
    sys.exit(ending.stdout + ending.stderr)
