"""Reads requests of Swagger 2.0 documents with bravado-core."""
import copy
import email
import json
import logging
import re
import urllib.parse
import warnings

from bravado_core.operation import Operation
from bravado_core.request import IncomingRequest, unmarshal_request
from bravado_core.spec import Spec

from values import Impossible, Values

logging.disable(logging.WARNING)
warnings.simplefilter("ignore")

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")


class SwaggerValues(Values):
    """Generates values for the parameters of Swagger 2.0."""

    def request(self, call, item, operation, turn):
        declared = parameters(self, item, operation)
        if len({node["name"] for node in declared}) < len(declared):
            # bravado-core returns the values by name.
            raise Impossible
        params, files, expected = {}, {}, {"path": {}, "query": {}, "header": {}, "formData": {}, "body": {}}
        names = {(node["in"], re.sub(r"[^A-Za-z0-9_.-]+", "_", node["name"]).strip("_")): node
                 for node in declared if node["in"] == "path"}
        body = next((node for node in declared if node["in"] == "body"), None)
        whole = None
        sent = {}
        if body is not None and any(parameter["place"] == "body" for parameter in call["params"]):
            whole = None if call["body"] == "raw" else self.value(body.get("schema", {}), turn)
        for parameter in call["params"]:
            place, name = parameter["place"], parameter["name"]
            if parameter["given"]:
                continue
            if place == "body" and body is not None:
                self.of_body(parameter, call, whole, params, files, sent)
                continue
            place = "formData" if place == "body" else place
            node = next((node for node in declared if (node["in"], node["name"]) == (place, name)), None)
            node = node or names.get((place, name))
            if node is None:
                raise Impossible
            if "type" not in node:
                # Swagger 2.0 allows a schema only for a body.
                raise Impossible
            if node.get("type") == "file":
                files[parameter["key"]] = "file.bin"
                expected[place][node["name"]] = b"\x89PNG\x00\xff content"
                continue
            if node.get("type") == "array" and not parameter["list"]:
                # Lull has reported that the list is given as a text.
                if parameter["required"] or place == "path":
                    raise Impossible
                continue
            try:
                value = self.of_parameter({**node, "schema": node.get("schema", node)}, turn, place)
            except Impossible:
                if node.get("required") or place == "path":
                    raise
                continue
            if isinstance(value, list) and any(isinstance(one, str) and set(one) & set(" \t|,;") for one in value):
                raise Impossible
            params[parameter["key"]] = value
            expected[place][node["name"]] = value
        if body is not None and (sent or not isinstance(whole, dict) or parameter_is_whole(call)):
            content = whole if parameter_is_whole(call) else sent
            if call["body"] == "raw":
                raise Impossible
            if content is not None:
                expected["body"][body["name"]] = content
        elif body is not None and body.get("required"):
            raise Impossible
        return {"params": params, "files": files, "expected": expected}

    def number(self, schema, turn, depth):
        # bravado-core reads numbers of these formats as integers.
        if str(schema.get("format")).startswith("int"):
            return self.integer(schema, turn, depth)
        return super().number(schema, turn, depth)

    @staticmethod
    def of_body(parameter, call, whole, params, files, sent):
        if call["body"] == "raw":
            raise Impossible
        if parameter["whole"]:
            params[parameter["key"]] = whole
        elif isinstance(whole, dict) and parameter["name"] in whole:
            params[parameter["key"]] = sent[parameter["name"]] = whole[parameter["name"]]


def parameter_is_whole(call):
    return any(parameter["whole"] for parameter in call["params"])


def parameters(values, item, operation):
    found = {}
    for node in (item.get("parameters") or []) + (operation.get("parameters") or []):
        node = values.resolved(node)
        if not isinstance(node, dict) or "in" not in node or "name" not in node:
            raise Impossible
        found[(node["in"], "" if node["in"] == "body" else node.get("name"))] = node
    return list(found.values())


class Request(IncomingRequest):
    def __init__(self, path, query, form, headers, files, body):
        self.path, self.query, self.form = path, query, form
        self.headers, self.files, self.body = headers, files, body

    def json(self, **words):
        return json.loads(self.body)


class Reader:
    def __init__(self, root):
        self.root = copy.deepcopy(root)
        for name in ("securityDefinitions", "security"):
            self.root.pop(name, None)
        self.values = SwaggerValues(self.root)
        self.spec = None

    def operations(self):
        for name, item in (self.root.get("paths") or {}).items():
            item = self.resolved(item)
            for method in METHODS:
                operation = item.get(method)
                # The values of placeholders next to each other can't be told apart.
                if isinstance(operation, dict) and "#" not in name and "?" not in name and "}{" not in name:
                    yield method, name, item, operation

    def resolved(self, item):
        try:
            item = self.values.resolved(item)
        except Impossible:
            return {}
        return item if isinstance(item, dict) else {}

    def opened(self):
        if self.spec is None:
            # Building the whole specification would resolve references that no request needs.
            self.spec = Spec(self.root, origin_url="file:///swagger.json", config={
                "validate_swagger_spec": False, "validate_requests": False, "use_models": False,
                "include_missing_properties": False})
        return self.spec

    def read(self, name, item, operation, method, target, headers, body):
        """Returns the values that bravado-core finds in a request, keyed by the names of parameters."""
        operation = {key: value for key, value in operation.items() if key != "security"}
        operation["parameters"] = parameters(self.values, item, operation)
        op = Operation.from_spec(self.opened(), name, method, operation)
        path, _, query = target.partition("?")
        pattern = "".join(
            "(.+?)" if part.startswith("{") else re.escape(part)
            for part in re.split(r"(\{[^}]*\})", urllib.parse.unquote(name)))
        match = re.fullmatch(pattern, path) or re.fullmatch(pattern, urllib.parse.unquote(path))
        if match is None:
            raise ValueError(f"{path} is not a path of {name}")
        given = dict(zip(re.findall(r"\{([^}]*)\}", name), map(urllib.parse.unquote, match.groups())))
        form, files = {}, {}
        kind = headers.get("Content-Type") or ""
        declared = next((node for node in operation["parameters"] if node["in"] == "body"), None)
        if declared is not None and kind.startswith("application/x-www-form-urlencoded"):
            # bravado-core reads every body as JSON.
            body = json.dumps(pairs(body.decode(), [], "body")).encode()
        elif kind.startswith("application/x-www-form-urlencoded"):
            form = pairs(body.decode(), operation["parameters"], "formData")
        elif kind.startswith("multipart/form-data"):
            form, files = parts(kind, body, operation["parameters"])
        request = Request(
            given, pairs(query, operation["parameters"], "query"), form,
            {node["name"]: headers.get(node["name"]) for node in operation["parameters"]
             if node["in"] == "header" and headers.get(node["name"]) is not None}, files, body)
        return unmarshal_request(request, op)


def is_multi(node):
    return node.get("type") == "array" and node.get("collectionFormat") == "multi"


def collected(found, declared, place):
    """A framework in front of bravado-core makes a list of the values of `multi`."""
    multi = {node["name"] for node in declared if node["in"] == place and is_multi(node)}
    return {name: values if name in multi else values[-1] for name, values in found.items()}


def pairs(text, declared, place):
    found = {}
    for name, value in urllib.parse.parse_qsl(text, keep_blank_values=True):
        found.setdefault(name, []).append(value)
    return collected(found, declared, place)


def parts(kind, body, declared):
    message = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
    found, files = {}, {}
    for part in message.get_payload():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if part.get_filename() is None:
            found.setdefault(name, []).append(content.decode())
        else:
            files[name] = content
    return collected(found, declared, "formData"), files
