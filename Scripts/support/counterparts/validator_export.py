"""openapi-spec-validator, which validates the documents written by `lull export --openapi`."""
# pip: openapi-spec-validator==0.9.0

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from openapi_spec_validator import OpenAPIV31SpecValidator

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCHEMAS = {
    "calls": {
        "list": {
            "responses": {"200": {"type": "array", "items": {"$ref": "#/$defs/order"}}, "4XX": {"$ref": "#/$defs/no order"}},
            "parameters": {"page": {"type": "integer", "minimum": 1}},
        },
        "add": {"responses": {"201": {"$ref": "#/calls/list/responses/200/items"}}, "body": {"$ref": "#/$defs/order"}},
    },
    "$defs": {
        "order": {"type": "object", "properties": {"id": {"type": ["integer", "null"]}, "parent": {"$ref": "#/$defs/order"}}},
        "no order": {"type": "object", "required": ["title"], "properties": {"title": {"const": "No"}}},
    },
}
FILE = """
local lull = require "lull"
local api = lull.service{ base_url = "https://shop.example/v1", headers = { ["X-Version"] = "2" } }
api:configure{ auth = lull.auth.bearer(lull.secret{ env = "SHOP_TOKEN" }) }
api:configure("/basic", { auth = lull.auth.basic("ann", lull.secret{ env = "SHOP_PASSWORD" }) })
api:configure("/digest", { auth = lull.auth.digest("ann", lull.secret{ env = "SHOP_PASSWORD" }) })
api:configure("/key", { auth = lull.auth.header("X-Key", lull.secret{ env = "SHOP_KEY" }) })
api:configure("/aws", { auth = lull.auth.aws_sigv4{ env = true, region = "x", service = "s3" } })
api:configure("/client", { auth = lull.auth.oauth2_client_credentials{ token_url = "https://login.example/t",
  client_id = "a", client_secret = lull.secret{ env = "SHOP_SECRET" }, scope = "read write" } })
api:configure("/code", { auth = lull.auth.oauth2_code{ authorization_url = "https://login.example/a",
  token_url = "https://login.example/t", client_id = "a", scope = "read" } })
api:configure("/open", { auth = false })
return { service = api, schemas = "shop.schemas.json", environments = { test = { base_url = "https://test.example" } }, calls = {
  list = { path = "/orders?kind=all&page={page}", pages = true, params = { page = "integer", ids = { type = "integer[]", explode = false },
    where = { type = "object", style = "deepObject" }, more = { type = "json", place = "query" },
    trace = { type = "string", place = "header", name = "X-Trace" }, theme = { type = "string", place = "cookie" } } },
  add = { path = "/orders", method = "POST", params = { id = "integer" }, example = { id = 7 },
    examples = { { json = { id = 8 }, when = { id = 8 } }, { status = 409, body = "no", headers = { ["Content-Type"] = "text/plain" } } } },
  order = { path = "/orders/{id}", params = { id = { type = "string", style = "matrix" } }, schema = { type = "object" } },
  change = { path = "/orders/{order}", method = "PATCH", body = "form", params = { order = "string", tags = { type = "string[]", explode = false } } },
  parts = { path = "/parts", method = "POST", body = "multipart", params = { file = "file[]", about = "json" } },
  raw = { path = "/raw", method = "PUT", body = "raw", params = { file = { type = "file", whole = true } } },
  away = { path = "https://other.example/x" },
  basic = { path = "/basic" }, digest = { path = "/digest" }, key = { path = "/key" }, aws = { path = "/aws" },
  client = { path = "/client" }, code = { path = "/code" }, open = { path = "/open" },
} }
"""
DOCUMENT = {
    "openapi": "3.0.3", "info": {"title": "Things", "version": "1"}, "servers": [{"url": "https://things.example"}],
    "components": {"schemas": {"Thing": {"type": "object", "nullable": True, "properties": {"a/b": {"$ref": "#/components/schemas/Thing"}}}}},
    "paths": {"/things/{id}": {"get": {
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
        "responses": {"200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}},
    }}},
}


def lull(folder, *words):
    run = subprocess.run([os.environ["LULL_PROGRAM"], *words], cwd=folder, capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        sys.exit(f"lull {' '.join(words)} has ended with {run.returncode}:\n{run.stderr}")
    return run.stdout


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "shop.lua").write_text(FILE)
    (folder / "shop.schemas.json").write_text(json.dumps({**SCHEMAS}))
    (folder / "things.json").write_text(json.dumps(DOCUMENT))
    lull(folder, "import", "openapi", "things.json", "-o", "things.lua")
    files = ["./shop.lua", "./things.lua"] + [str(ROOT / "Examples/apis" / f"{one}.lua") for one in ("github", "sample")]
    for file in files:
        document = json.loads(lull(folder, "export", file, "--openapi"))
        for error in OpenAPIV31SpecValidator(document).iter_errors():
            print(f"{file}: {error.json_path if hasattr(error, 'json_path') else ''}: {error.message[:300]}")
        if not document["paths"]:
            print(f"{file}: there is no path")
