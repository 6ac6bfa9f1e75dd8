/// A document of OpenAPI for tests of `lull import`.
enum OpenAPISample {
  static let text = """
    openapi: 3.0.3
    info: {title: Shop, version: "1"}
    servers:
      - {url: "https://{region}.shop.example/v1/", variables: {region: {default: eu}}}
    security: [{token: []}]
    components:
      securitySchemes:
        token: {type: http, scheme: bearer}
        key: {type: apiKey, in: query, name: api_key}
      parameters:
        page: {name: page, in: query, schema: {type: integer, minimum: 0}}
      schemas:
        Order:
          type: object
          required: [item]
          properties:
            item: {type: string, description: "What it is. More."}
            count: {type: integer, nullable: true, minimum: 0, exclusiveMinimum: true}
            tags: {type: array, items: {type: string}}
            owner: {$ref: '#/components/schemas/Person'}
            id: {type: string, readOnly: true}
        Person: {type: object, properties: {friend: {$ref: '#/components/schemas/Person'}}}
    paths:
      /orders:
        parameters:
          - {name: X-Trace, in: header, schema: {type: string}}
        get:
          operationId: orders/list
          tags: [orders]
          parameters:
            - $ref: '#/components/parameters/page'
            - {name: per_page, in: query, schema: {type: integer}}
            - {name: state, in: query, explode: false, schema: {type: array, items: {enum: [open, done]}}}
            - {name: where, in: query, style: deepObject, schema: {type: object}}
          responses:
            "200":
              description: Orders
              content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Order'}}}}
        post:
          operationId: orders/add
          tags: [orders]
          requestBody:
            required: true
            content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
          responses: {}
      /orders/{id}:
        get:
          security: [{key: []}]
          parameters: [{name: id, in: path, required: true, schema: {type: string}}]
          responses: {}
      /orders/{id}/photo:
        put:
          operationId: photo
          security: []
          parameters: [{name: id, in: path, required: true, schema: {type: string}}]
          requestBody:
            content: {multipart/form-data: {schema: {type: object, properties: {photo: {type: string, format: binary}, note: {type: string}}}}}
          responses: {}
      /elsewhere:
        get: {servers: [{url: "https://other.example"}], responses: {}}
    """

  static let file = """
    -- Imported by: lull import openapi shop.yaml -o apis/shop.lua
    -- Changes made in this file are kept when the API is imported again.
    local lull = require "lull"

    local api = lull.service{ base_url = "https://eu.shop.example/v1" }

    api:configure{ auth = lull.auth.bearer(lull.secret{ env = "SHOP_TOKEN" }) }
    api:configure("/orders/*", { auth = lull.auth.query("api_key", lull.secret{ env = "SHOP_KEY" }) }, { methods = { "GET" } })
    api:configure("/orders/*/photo", { auth = false }, { methods = { "PUT" } })

    return {
      service = api,
      description = "Shop",
      schemas = "shop.schemas.json",
      calls = {
        ["orders/list"] = {
          path = "/orders",
          params = {
            ["X-Trace"] = { type = "string", place = "header" },
            page = "integer",
            per_page = "integer",
            state = { type = { "open", "done" }, list = true, explode = false },
            where = { type = "object", style = "deepObject" },
          },
          pages = { page = { param = "page", first = 0 } },
        },
        ["orders/add"] = {
          path = "/orders",
          method = "POST",
          params = {
            item = { type = "string", required = true, description = "What it is" },
            ["X-Trace"] = { type = "string", place = "header" },
            count = "integer",
            tags = "string[]",
            owner = "json",
          },
        },
        get_orders_id = { path = "/orders/{id}", params = { id = "string" } },
        photo = {
          path = "/orders/{id}/photo",
          method = "PUT",
          params = { id = "string", photo = "file", note = "string" },
          body = "multipart",
        },
      },
    }

    """
}
