"""Generates values that match the schemas of a document."""
import re


class Impossible(Exception):
    """No matching value is known."""


def is_of(value, kind):
    """Whether the value has the declared type. In some documents, enumerations contradict their
    types."""
    kinds = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "array": list, "object": dict}
    if not isinstance(kind, str) or kind not in kinds:
        return True
    return isinstance(value, kinds[kind]) and (kind == "boolean" or not isinstance(value, bool))


class Values:
    def __init__(self, root):
        self.root = root

    def resolved(self, node, depth=0):
        while isinstance(node, dict) and isinstance(node.get("$ref"), str):
            depth += 1
            if depth > 30 or not node["$ref"].startswith("#/"):
                raise Impossible
            target = self.root
            for part in node["$ref"][2:].split("/"):
                part = re.sub("%([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), part)
                part = part.replace("~1", "/").replace("~0", "~")
                try:
                    target = target[int(part)] if isinstance(target, list) else target[part]
                except (KeyError, IndexError, ValueError, TypeError):
                    raise Impossible from None
            node = target
        return node

    def value(self, schema, turn, depth=0):
        if depth > 6:
            raise Impossible
        schema = self.resolved(schema)
        if not isinstance(schema, dict) or not schema:
            return "any"
        if schema.get("enum"):
            choices = [one for one in schema["enum"] if one is not None and is_of(one, schema.get("type"))]
            if not choices or len({type(one) for one in choices}) > 1:
                raise Impossible
            return choices[turn % len(choices)]
        if "const" in schema:
            return schema["const"]
        if "not" in schema:
            raise Impossible
        if "allOf" in schema:
            parts = [self.resolved(part) for part in schema["allOf"]]
            merged = {key: value for key, value in schema.items() if key != "allOf"}
            for part in parts:
                if not isinstance(part, dict):
                    raise Impossible
                for key, value in part.items():
                    if key == "properties":
                        merged["properties"] = {**merged.get("properties", {}), **value}
                    elif key == "required":
                        merged["required"] = merged.get("required", []) + value
                    elif key in ("allOf", "oneOf", "anyOf", "not", "additionalProperties"):
                        if key in merged or key == "not":
                            raise Impossible
                        merged[key] = value
                    else:
                        merged.setdefault(key, value)
            return self.value(merged, turn, depth + 1)
        for key in ("oneOf", "anyOf"):
            if key in schema:
                # A value does not always determine the alternative.
                raise Impossible
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), None)
        if kind is None:
            kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
        return getattr(self, kind, self.other)(schema, turn, depth)

    def other(self, schema, turn, depth):
        raise Impossible

    def string(self, schema, turn, depth):
        by_format = {
            "date": "2025-01-31", "date-time": "2025-01-31T10:20:30Z", "uuid": "123e4567-e89b-12d3-a456-426614174000",
            "email": "ann@example.com", "uri": "https://a.example/x?y=1", "url": "https://a.example/x?y=1",
            "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "YWJj", "hostname": "a.example", "time": "10:20:30Z",
        }
        texts = ["a b&c=d/e?f#g%20", "é ü,;|~", "plain", "\"quoted\" 'x' [y] {z}", "a+b"]
        candidates = []
        if schema.get("format") in by_format:
            candidates.append(by_format[schema["format"]])
        elif schema.get("format") in (None, "password"):
            candidates.append(texts[turn % len(texts)])
            candidates += ["text", "abc", "1", "12345", "AB", "A1", "2025-01-31", "a@b.example", "https://a.example/"]
        for key in ("example", "default"):
            candidates.append(schema.get(key))
        least, most = schema.get("minLength", 0), schema.get("maxLength", 1 << 30)
        candidates.append("x" * least)
        for text in candidates:
            if isinstance(text, str) and text and least <= len(text) <= most:
                try:
                    if "pattern" not in schema or re.search(schema["pattern"], text):
                        return text
                except re.error:
                    raise Impossible from None
        raise Impossible

    def integer(self, schema, turn, depth):
        return int(self.number_in(schema, 1 + turn, 1))

    def number(self, schema, turn, depth):
        return self.number_in(schema, 1.5 + turn, 0.25)

    def number_in(self, schema, value, step):
        least, most = schema.get("minimum"), schema.get("maximum")
        if not all(isinstance(one, (int, float, type(None))) for one in (least, most)):
            raise Impossible
        if isinstance(least, (int, float)) and value <= least:
            value = least + step
        if isinstance(most, (int, float)) and value >= most:
            value = most - step
        exclusive = schema.get("exclusiveMinimum")
        if isinstance(exclusive, (int, float)) and not isinstance(exclusive, bool) and value <= exclusive:
            value = exclusive + step
        if least is not None and value < least or schema.get("multipleOf"):
            raise Impossible
        return value

    def boolean(self, schema, turn, depth):
        return turn % 2 == 0

    def array(self, schema, turn, depth):
        count = max(schema.get("minItems", 0), min(2, schema.get("maxItems", 2)), 1)
        if count > 10:
            raise Impossible
        items = [self.value(schema.get("items", {}), turn + number, depth + 1) for number in range(count)]
        if schema.get("uniqueItems"):
            items = [one for number, one in enumerate(items) if one not in items[:number]]
            if len(items) < schema.get("minItems", 0):
                raise Impossible
        return items

    def object(self, schema, turn, depth):
        result = {}
        required = schema.get("required", [])
        for name, property in (schema.get("properties") or {}).items():
            try:
                if not isinstance(self.resolved(property), dict) or self.resolved(property).get("readOnly"):
                    continue
                result[name] = self.value(property, turn, depth + 1)
            except Impossible:
                if name in required:
                    raise
        if schema.get("minProperties") or any(name not in result for name in required):
            raise Impossible
        if not schema.get("properties") and not result:
            return {"a": "b"} if schema.get("additionalProperties", True) is True else {}
        return result

    # Requests

    def request(self, call, item, operation, turn):
        declared = {}
        for node in (item.get("parameters") or []) + (operation.get("parameters") or []):
            node = self.resolved(node)
            declared[(node["in"], node["name"])] = node
        places = {(node["in"], re.sub(r"[^A-Za-z0-9_.-]+", "_", node["name"]).strip("_")): node
                  for node in declared.values()}
        params, files, expected = {}, {}, {"path": {}, "query": {}, "header": {}, "cookie": {}}
        for parameter in call["params"]:
            place, name = parameter["place"], parameter["name"]
            if place == "body" or parameter["given"]:
                continue
            node = declared.get((place, name)) or places.get((place, name))
            if node is None:
                raise Impossible
            required = node.get("required") or place == "path"
            try:
                value = self.of_parameter(node, turn, place)
            except Impossible:
                if required:
                    raise
                continue
            params[parameter["key"]] = value
            expected[place][node["name"]] = value
        body = self.add_body(call, operation, turn, params, files)
        return {"params": params, "files": files, "expected": expected, "body": body,
                "raw": call["body"] == "raw"}

    def of_parameter(self, node, turn, place):
        if "schema" not in node:
            content = list((node.get("content") or {}).values())
            if not content:
                raise Impossible
            return self.value(content[0].get("schema", {}), turn)
        schema = self.resolved(node["schema"])
        value = self.value(schema, turn)
        parts = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else [value]
        if any(isinstance(part, (list, dict)) for part in parts) or not parts:
            raise Impossible
        if isinstance(value, dict) and not schema.get("properties") and node.get("style") != "deepObject":
            # The members of several objects could not be distinguished.
            raise Impossible
        texts = [part for part in parts if isinstance(part, str)]
        if place in ("header", "cookie") and any(not re.fullmatch(r"[A-Za-z0-9_.:-]+", text) for text in texts):
            texts = ["plain"]
            if not schema.get("type") == "string" or "pattern" in schema or "enum" in schema or "format" in schema:
                raise Impossible
            value = "plain"
        if isinstance(value, (list, dict)) and any(set(",|; =&~") & set(text) for text in texts):
            # Lull rejects values that contain the separator.
            raise Impossible
        if place == "path" and any(text in ("", ".", "..") or "/" in text or "%" in text for text in texts):
            if schema.get("type") == "string" and not set(schema) & {"pattern", "enum", "format", "maxLength", "minLength"}:
                value = "a b,é"
            else:
                raise Impossible
        return value

    def add_body(self, call, operation, turn, params, files):
        parts = [parameter for parameter in call["params"] if parameter["place"] == "body"]
        if not parts:
            return
        body = self.resolved(operation.get("requestBody"))
        content = body.get("content") or {}
        kinds = {"json": "json", "form": "x-www-form-urlencoded", "multipart": "multipart/form-data", "raw": ""}
        node = next((one for name, one in content.items() if kinds[call["body"]] in name or name in ("*/*", "application/*")), None)
        if node is None or call["body"] == "multipart":
            raise Impossible
        if parts[0]["whole"]:
            if call["body"] == "raw":
                if parts[0]["type"] == "file":
                    files[parts[0]["key"]] = "file.bin"
                else:
                    params[parts[0]["key"]] = "a raw text"
                return
            params[parts[0]["key"]] = self.value(node.get("schema", {}), turn)
            return params[parts[0]["key"]]
        value = self.value(node.get("schema", {}), turn)
        if not isinstance(value, dict):
            raise Impossible
        sent = {}
        for part in parts:
            if part["name"] in value:
                one = value[part["name"]]
                if call["body"] == "form" and isinstance(one, (list, dict)):
                    if part["required"]:
                        raise Impossible
                    continue
                params[part["key"]] = one
                sent[part["name"]] = one
        if not sent and body.get("required"):
            raise Impossible
        return sent
