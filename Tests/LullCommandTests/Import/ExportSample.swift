/// An API file, its schemas, and a document of OpenAPI with a bit of everything, for tests of `lull export`.
enum ExportSample {
  static let shop = """
    local lull = require "lull"
    local api = lull.service{ base_url = "https://shop.example/v1", timeout = 7,
      headers = { Accept = "application/vnd.shop+json", ["X-Version"] = "2" } }
    api:configure{ auth = lull.auth.bearer(lull.secret{ env = "SHOP_TOKEN" }) }
    api:configure("/open", { auth = false })
    return { service = api, description = "The shop", schemas = "shop.schemas.json", calls = {
      list = {
        path = "/orders?kind=all&page={page}", description = "All orders", pages = true, columns = { "id" },
        params = { page = "integer", states = { type = { "open", "done" }, list = true, explode = false },
          q = { type = "string", reserved = true, description = "Words", default = "a/b" },
          where = { type = "object", style = "deepObject" }, more = { type = "json", place = "query" },
          trace = { type = "string", place = "header", name = "X-Trace", required = true },
          theme = { type = "string", place = "cookie" } } },
      order = { path = "/orders/{id}", params = { id = "integer" }, schema = "order" },
      add = { path = "/orders", method = "POST", params = { item = { type = "string", required = true }, count = "integer" },
        examples = { { json = { id = 7 } }, { status = 409, json = { title = "No" }, when = { item = "x" } } } },
      change = { path = "/orders/{order}", method = "PATCH", body = "form",
        params = { order = "integer", tags = { type = "string[]", explode = false }, note = "string" } },
      photo = { path = "/orders/{id}/photo", method = "PUT", body = "multipart",
        params = { id = "integer", photo = { type = "file", required = true }, about = "json" } },
      raw = { path = "/raw", method = "POST", body = "raw", content_type = "text/csv",
        params = { rows = { type = "string", whole = true, required = true, description = "Lines" } } },
      open = { path = "/open", description = "Deprecated: Whether it is open",
        params = { key = { type = "string", default = lull.secret{ env = "SHOP_KEY" } } } },
      away = { path = "https://other.example/status" },
    } }
    """

  static let schemas = ##"""
    {"calls":{"list":{"responses":{"200":{"type":"array","items":{"$ref":"#/$defs/order"}},"4XX":{"$ref":"#/$defs/no such/thing"}},
    "parameters":{"page":{"type":"integer","minimum":1},"q":{"type":"boolean"}}},
    "add":{"body":{"$ref":"#/$defs/new order"},"responses":{"201":{"$ref":"#/calls/list/responses/200"}}}},
    "$defs":{"order":{"type":"object","properties":{"id":{"type":"integer"},"$ref":{"const":{"$ref":"x"}},"parent":{"$ref":"#/$defs/order"},
    "name":{"$ref":"#/$defs/new%20order/properties/item"}}},
    "new order":{"type":"object","required":["item"],"properties":{"item":{"type":"string","minLength":1},"count":{"type":"integer"}}},
    "unused":{"type":"null"}}}
    """##

  static let document = """
    openapi: 3.1.0
    info: {title: Shop, version: "1"}
    servers: [{url: "https://shop.example", description: Production}, {url: "https://test.shop.example", description: Test}]
    security: [{who: []}, {}]
    components:
      securitySchemes:
        who: {type: http, scheme: basic}
        admin: {type: oauth2, flows: {clientCredentials: {tokenUrl: "https://shop.example/token", scopes: {a: "", b: ""}}}}
        key: {type: apiKey, in: header, name: X-Key}
        sid: {type: apiKey, in: cookie, name: sid}
      schemas:
        Page: {type: object, properties: {next_cursor: {type: [string, "null"]}, items: {type: array, items: {$ref: '#/components/schemas/Thing'}}}}
        Thing: {type: object, required: [name], properties: {name: {type: string}, size: {type: number}, tags: {type: array, items: {type: string}},
          more: {type: object}, kind: {enum: [a, b]}, "odd name": {type: boolean}}}
    paths:
      /things:
        get:
          operationId: things.list
          parameters:
            - {name: cursor, in: query, schema: {type: string}}
            - {name: "filter[name]", in: query, schema: {type: string}}
            - {name: ids, in: query, style: pipeDelimited, explode: false, schema: {type: array, items: {type: integer}}}
            - {name: raw, in: query, allowReserved: true, schema: {type: string}}
            - {name: json, in: query, content: {application/json: {schema: {type: object}}}}
            - {name: since, in: header, schema: {type: string, format: date}}
            - {name: lang, in: cookie, schema: {type: string}}
            - {name: body, in: query, required: true, schema: {type: string}}
          responses: {"200": {description: "", content: {application/json: {schema: {$ref: '#/components/schemas/Page'}}}}, "default": {description: ""}}
        post:
          operationId: things.add
          deprecated: true
          summary: Add one
          security: [{admin: [a]}]
          requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
          responses: {"201": {description: "", content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}
      /things/{id}/{version}:
        get:
          security: [{key: [], sid: []}]
          parameters:
            - {name: id, in: path, required: true, style: matrix, schema: {type: integer}}
            - {name: version, in: path, required: true, schema: {type: string, default: latest}}
          responses: {"200": {description: "", headers: {Link: {schema: {type: string}}}, content: {application/json: {schema: {type: array, items: {}}}}}}
        delete:
          security: []
          parameters:
            - {name: id, in: path, required: true, schema: {type: array, items: {type: string}}}
            - {name: version, in: path, required: true, schema: {type: string}}
          requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {why: {type: string}, to: {type: array, items: {type: string}}}},
            encoding: {to: {explode: false}}}}}
          responses: {}
      /files/{id}:
        parameters: [{name: id, in: path, required: true, schema: {type: string}}]
        put: {operationId: upload, requestBody: {required: true, content: {application/pdf: {}}}, responses: {}}
        post: {operationId: send, requestBody: {content: {multipart/form-data: {schema: {type: object, required: [file],
          properties: {file: {type: array, items: {type: string, format: binary}}, note: {type: string}, about: {type: object}}}}}}, responses: {}}
        patch: {operationId: patch, requestBody: {content: {application/merge-patch+json: {schema: {type: array, items: {}}}}}, responses: {}}
        head: {operationId: look, responses: {}}
    """
}
