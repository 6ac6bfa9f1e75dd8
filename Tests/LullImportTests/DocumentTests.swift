import LullCore
import LullImport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct DocumentTests {
  private func read(_ documents: [String: String]) throws(DocumentProblem) -> ImportedAPI {
    guard let url = ResourceURL(absolute: "https://a.example/api/openapi.yaml") else {
      throw DocumentProblem("no URL")
    }
    let set = try DocumentSet(url: url) { (url) throws(DocumentProblem) in
      guard let text = documents[url.text] else { throw DocumentProblem("404", file: url.text) }
      guard text.hasPrefix("->"), let target = ResourceURL(absolute: String(text.dropFirst(2)))
      else {
        return (Array(text.utf8), url)
      }
      return (Array("x: 1".utf8), target)
    }
    return try OpenAPIImport.read(set, OpenAPIImport.Options(name: "x")).api
  }

  private func read(_ paths: String) throws -> ImportedAPI {
    try read([
      "https://a.example/api/openapi.yaml": "openapi: 3.1.0\nservers: [{url: ../v2}]\npaths:\n"
        + paths
    ])
  }

  @Test func `QRY-08 keys in a query are the access, beside another one parameters`() throws {
    let schemes = """
      components:
        securitySchemes:
          id: {type: apiKey, in: query, name: id}
          key: {type: apiKey, in: query, name: key}
          token: {type: http, scheme: bearer}
          unnamed: {type: apiKey, in: query}
      security: [{key: [], id: []}]

      """
    let api = try read([
      "https://a.example/api/openapi.yaml": "openapi: 3.1.0\nservers: [{url: ../v2}]\n" + schemes
        + """
        paths:
          /a: {get: {parameters: [{name: key, in: query}, {name: q, in: query}]}}
          /b: {get: {security: [{key: []}]}}
          /c: {get: {security: [{key: [], token: []}]}}
          /d: {get: {security: [{token: []}, {id: []}]}}
          /e: {get: {security: [{}, {id: []}]}}
          /f: {get: {security: [{unnamed: []}]}}
        """
    ])
    let both = [
      ImportedAccess.Key(name: "id", variable: "X_ID_KEY"),
      ImportedAccess.Key(name: "key", variable: "X_KEY"),
    ]
    #expect(api.access == ImportedAccess(.query(both)))
    #expect(api.calls[0].parameters.map(\.key) == ["q"])
    #expect(
      api.exceptions.map(\.pattern) == ["/b", "/c", "/d", "/e", "/f"], "\(api.exceptions)")
    #expect(api.exceptions[0].access == ImportedAccess(.query([both[1]])))
    #expect(api.exceptions[1].access == ImportedAccess(.bearer(variable: "X_TOKEN")))
    #expect(api.calls[2].parameters.map(\.key) == ["key"])
    #expect(api.calls[2].parameters[0].secret == "X_KEY")
    #expect(api.exceptions[2].access == ImportedAccess(.bearer(variable: "X_TOKEN")))
    #expect(api.exceptions[3].access == ImportedAccess(.query([both[0]]), isOptional: true))
    #expect(api.exceptions[4].access == ImportedAccess())
    #expect(api.notes.contains { $0.contains("does not name its key") })
  }

  @Test func `IMP-17 a document of a URL refers to what is on its origin`() throws {
    let paths = """
        /a: {get: {parameters: [{$ref: 'more.yaml#/q'}]}}
        /b: {get: {parameters: [{$ref: 'https://b.example/x.yaml'}]}}
        /c: {get: {parameters: [{$ref: 'file:///etc/passwd'}]}}
        /d: {get: {parameters: [{$ref: '/moved.yaml'}]}}
        /e: {get: {parameters: [{$ref: 'none.yaml'}]}}
        /f: {$ref: 'more.yaml#/item'}
      """
    let api = try read([
      "https://a.example/api/openapi.yaml": "openapi: 3.1.0\nservers: [{url: ../v2}]\npaths:\n"
        + paths,
      "https://a.example/api/more.yaml":
        "q: {name: q, in: query, schema: {$ref: '#/s'}}\ns: {type: boolean}\nitem: {post: {operationId: f}}\n",
      "https://a.example/moved.yaml": "->https://b.example/moved.yaml",
    ])
    #expect(api.baseURL == "https://a.example/v2")
    #expect(api.calls.map(\.name) == ["get_a", "f"])
    #expect(api.calls[0].parameters[0].kind == .boolean)
    let reasons = api.leftOut.map(\.reason)
    #expect(reasons[0].contains("leads to another origin than https://a.example"))
    #expect(reasons[1].contains("leads to another origin") || reasons[1].contains("is no URL"))
    #expect(reasons[2].contains("was redirected to another origin"))
    #expect(reasons[3].contains("404"))
  }

  @Test func `IMP-18 parameters and bodies are what the document says`() throws {
    let api = try read(
      """
        /p/{a.b}/{c}/{d}:
          parameters:
            - {name: a.b, in: path, required: true, style: label, explode: true, schema: {type: [array, "null"], items: {type: integer}}}
            - {name: q, in: query, schema: {type: string}}
          post:
            parameters:
              - {name: q, in: query, required: true, style: pipeDelimited, schema: {type: array, items: {type: string}}}
              - {name: "x[]", in: query, style: deepObject, explode: true, schema: {type: array, items: {type: string}}}
              - {name: j, in: query, content: {application/json: {schema: {type: object}}}}
              - {name: c, in: cookie, schema: {anyOf: [{const: one}, {enum: [two]}]}}
              - {name: Accept, in: header, schema: {type: string}}
              - {name: r, in: query, allowReserved: true, schema: {type: string, default: x}}
            requestBody:
              content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {q: {type: string}, m: {type: object}}}, encoding: {m: {style: deepObject}}}}
        /raw: {put: {requestBody: {required: true, content: {text/csv: {}}}}}
        /any: {delete: {requestBody: {content: {application/merge-patch+json: {schema: {oneOf: [{type: object}, {type: array}]}}}}}}
      """)
    let any = api.calls[0]
    #expect(any.body == .json && any.contentType == "application/merge-patch+json")
    #expect(
      any.parameters[0].isWhole && any.parameters[0].saysPlace && any.parameters[0].kind == .json)
    let call = api.calls[1]
    #expect(call.path == "/p/{a.b}/{path_c}/{d}" || call.path == "/p/{a.b}/{c}/{d}")
    let byKey = Dictionary(uniqueKeysWithValues: call.parameters.map { ($0.key, $0) })
    #expect(
      byKey["a.b"]?.isList == true && byKey["a.b"]?.style == "label"
        && byKey["a.b"]?.explode == true)
    #expect(
      byKey["q"]?.style == "pipeDelimited" && byKey["q"]?.explode == nil
        && byKey["q"]?.saysPlace == true)
    #expect(
      byKey["body_q"]?.name == "q" && byKey["m"]?.style == "deepObject"
        && byKey["m"]?.kind == .object)
    #expect(byKey["x"]?.name == "x[]" && byKey["x"]?.style == nil)
    #expect(
      byKey["j"]?.kind == .json && byKey["r"]?.isReserved == true && byKey["r"]?.standard == nil)
    #expect(call.parameters.contains { $0.place == .cookie && $0.kind == .choice(["one", "two"]) })
    #expect(!call.parameters.contains { $0.place == .header })
    let raw = api.calls[2]
    #expect(raw.body == .raw && raw.contentType == "text/csv" && raw.parameters[0].kind == .string)
  }

  @Test func `IMP-24 what lets somebody in comes from the environment, by the way that asks least`()
    throws
  {
    let api = try read([
      "https://a.example/api/openapi.yaml": """
      openapi: 3.0.0
      servers: [{url: /}]
      security: [{login: [a, b]}, {client: []}]
      components:
        securitySchemes:
          login: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /auth, tokenUrl: "https://t.example/token"}}}
          client: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token}}}
          one: {type: apiKey, in: header, name: X-One}
          two: {type: apiKey, in: header, name: X-Two}
          cookie: {type: apiKey, in: cookie, name: sid}
          cert: {type: mutualTLS}
          token: {type: http, scheme: bearer}
          user: {type: http, scheme: basic}
      paths:
        /stripe: {get: {security: [{user: []}, {token: []}]}}
        /a: {get: {}}
        /b: {get: {security: [{login: [c]}]}}
        /c: {get: {security: [{one: [], two: []}]}}
        /d: {get: {security: [{cookie: []}, {}]}}
        /e: {get: {security: [{cert: []}]}}
        /ee: {get: {security: [{token: [], login: [a]}]}}
        /f/{x}: {get: {security: []}}
        /f/g: {get: {}}
      """
    ])
    let client = ImportedAccess.OAuth2(
      tokenURL: "https://a.example/token", clientID: "X_CLIENT_CLIENT_ID",
      clientSecret: "X_CLIENT_CLIENT_SECRET")
    #expect(api.access == ImportedAccess(.clientCredentials(client)))
    let exceptions = Dictionary(
      uniqueKeysWithValues: api.exceptions.map { ($0.pattern, $0.access) })
    #expect(
      exceptions["/b"]
        == ImportedAccess(
          .code(
            ImportedAccess.OAuth2(
              tokenURL: "https://t.example/token", authorizationURL: "https://a.example/auth",
              clientID: "X_LOGIN_CLIENT_ID", scope: "a b c"))))
    #expect(exceptions["/ee"] == exceptions["/b"])
    #expect(exceptions["/stripe"] == ImportedAccess(.bearer(variable: "X_TOKEN")))
    #expect(exceptions["/c"]?.headers.count == 1)
    #expect(
      exceptions["/d"]
        == ImportedAccess(
          .header(name: "Cookie", prefix: "sid=", variable: "X_COOKIE_KEY"), isOptional: true))
    #expect(api.notes.contains { $0.contains("GET /e") && $0.contains("client_cert") })
    // What a pattern would take along has an entry of its own behind it.
    #expect(api.exceptions.map(\.pattern).suffix(1) == ["/f/g"])
    #expect(exceptions["/f/*"] == ImportedAccess() && exceptions["/f/g"] == api.access)
  }

  @Test func `IMP-26 schemas that refer to themselves in every way are read within limits`() throws
  {
    let all = (0..<20).map { "{$ref: '#/components/schemas/s\($0)'}" }.joined(separator: ", ")
    let schemas = (0..<20).map {
      "    s\($0): {allOf: [\(all)], oneOf: [\(all)], properties: {p\($0): {items: {$ref: '#/components/schemas/s\($0)'}}}}\n"
    }
    let chain = (0..<300).map { "    c\($0): {$ref: '#/components/parameters/c\($0 + 1)'}\n" }
    let api = try read([
      "https://a.example/api/openapi.yaml": """
      openapi: 3.1.0
      servers: [{url: /}]
      paths:
        /a: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/s0'}}}}}}
        /b: {get: {parameters: [{name: q, in: query, schema: {$ref: '#/components/schemas/s1'}}]}}
        /c: {get: {parameters: [{$ref: '#/components/parameters/c0'}]}}
        /d: {get: {parameters: [\((0...1000).map { "{name: p\($0), in: query}" }.joined(separator: ", "))]}}
      components:
        schemas:

      """ + schemas.joined() + "  parameters:\n" + chain.joined()
    ])
    #expect(api.calls.map(\.path) == ["/a", "/b"])
    #expect(api.leftOut.map(\.what) == ["GET /c", "GET /d"])
    #expect(api.leftOut[0].reason.contains("more than 100 other $refs"))
    #expect(api.leftOut[1].reason.contains("more than 1,000 parameters"))
  }

  @Test func `IMP-19 pages are recognised where nothing is in doubt`() throws {
    func answer(_ schema: String, _ parameters: String = "", headers: String = "{}") -> String {
      "{get: {parameters: [\(parameters)], responses: {200: {headers: \(headers), content: {application/json: {schema: \(schema)}}}}}}\n"
    }
    let list = "{type: array, items: {type: object}}"
    let page =
      "{name: page, in: query, schema: {type: integer}}, {name: per_page, in: query, schema: {type: integer}}"
    let after = "{name: starting_after, in: query, schema: {type: string}}"
    func ids(_ record: String, _ more: String = "") -> String {
      "{properties: {data: {type: array, items: \(record)}, has_more: {type: boolean}\(more)}}"
    }
    let paths = [
      "  /a: " + answer(list, headers: "{link: {}}"),
      "  /b: " + answer("{properties: {data: \(list), next: {type: string, format: uri}}}"),
      "  /c: " + answer("{properties: {data: \(list), next: {type: string}}}"),
      "  /d: "
        + answer(
          "{properties: {rows: \(list), meta: {properties: {next_cursor: {type: string}}}}}",
          "{name: cursor, in: query, schema: {type: string}}"),
      "  /e: " + answer("{properties: {data: \(list)}}", page),
      "  /f: " + answer("{properties: {one: \(list), two: \(list)}}", page),
      "  /g: " + answer(list, "{name: page, in: query, schema: {type: integer}}"),
      "  /h: " + answer(ids("{properties: {id: {type: string}}}"), after),
      "  /i: "
        + answer(
          ids("{anyOf: [{properties: {id: {type: string}}}, {properties: {id: {type: integer}}}]}"),
          after),
      "  /j: "
        + answer(ids("{anyOf: [{properties: {id: {type: string}}}, {type: object}]}"), after),
      "  /k: " + answer(ids("{properties: {id: {type: string}}}"), "{name: after, in: query}"),
      "  /l: "
        + answer(
          ids("{properties: {id: {type: string}}}", ", last_id: {type: string}"),
          "{name: after, in: query, schema: {type: string}}"),
      "  /m: "
        + answer(
          ids("{properties: {id: {type: string}}}").replacing("boolean", with: "string"), after),
      "  /n: "
        + answer(
          ids("{properties: {id: {type: string}}}", ", last_id: {type: string}"),
          "{name: after, in: query, schema: {type: string, format: date-time}}"),
      "  /o: "
        + answer(
          ids("{properties: {id: {type: string}}}"),
          "{name: after_id, in: query, schema: {type: integer}}"),
      "  /p: "
        + answer(
          "{properties: {data: \(list), cursor: {type: string}}}",
          "{name: cursor, in: query, schema: {type: string}}"),
      "  /q: "
        + answer("{properties: {data: \(list), links: {properties: {next: {type: string}}}}}"),
      "  /r: "
        + answer(
          "{properties: {data: \(list), _links: {properties: {next: {properties: {href: {type: string}}}}}}}"
        ),
      "  /s: "
        + answer(
          "{properties: {data: \(list)}}",
          "{name: offset, in: query, schema: {type: integer}}, {name: limit, in: query, schema: {type: integer}}"
        ),
      "  /t: "
        + answer(
          "{properties: {data: \(list), pagination: {properties: {next_url: {type: string}}}}}"),
    ]
    let api = try read(paths.joined())
    let calls = api.calls
    #expect(
      calls.map(\.pages) == [
        .linked, .linked, nil, .cursor(parameter: "cursor", field: "meta.next_cursor"),
        .counted(parameter: "page", first: 1, step: 1, items: "data"), nil, nil,
        .cursor(parameter: "starting_after", field: "id", items: "data", more: "has_more"),
        .cursor(parameter: "starting_after", field: "id", items: "data", more: "has_more"), nil,
        nil, .cursor(parameter: "after", field: "last_id", more: "has_more"), nil,
        nil, nil, .cursor(parameter: "cursor", field: "cursor"), .linked, .linked,
        .offset(parameter: "offset", items: "data"), .linked,
      ])
    #expect(
      calls.map(\.rows) == [nil, "data", "data", "rows", "data", nil, nil]
        + [String](repeating: "data", count: 13))
    #expect(
      calls.filter(\.lacksPages).map(\.path) == ["/c", "/f", "/g", "/j", "/k", "/m", "/n", "/o"])
  }

  @Test func `IMP-111 calls that seem to come in pages are listed if they could not be paginated`()
    throws
  {
    func answer(_ schema: String, _ parameters: String = "") -> String {
      "{get: {parameters: [\(parameters)], responses: {200: {content: {application/json: {schema: \(schema)}}}}}}\n"
    }
    let list = "{type: array, items: {type: object}}"
    let page = "{name: page, in: query, schema: {type: integer}}"
    let api = try read(
      "  /a: " + answer(list, page) + "  /b: " + answer(list)
        + "  /c: " + answer("{properties: {data: \(list), next_cursor: {type: string}}}")
        + "  /d: " + answer("{type: object}", page)
        + "  /e: " + answer(list, "{name: limit, in: query, schema: {type: integer}}"))
    #expect(
      api.notes == [
        "2 calls seem to return pages, but the document does not say how to request the next page; "
          + "add 'pages' to: get_a, get_c"
      ])
    let text = APIFileWriter.text(
      of: try read(
        "  /a: "
          + answer(
            list,
            "{name: skip, in: query, schema: {type: integer}}, \(page.replacing("page", with: "limit"))"
          )
      ))
    #expect(text.contains("pages = { offset = { param = \"skip\" } }"))
  }
}
