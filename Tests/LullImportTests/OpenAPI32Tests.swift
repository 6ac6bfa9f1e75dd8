import LullCore
import LullImport
import Testing

@Suite("OpenAPI 3.2", .timeLimit(.minutes(20)))
struct OpenAPI32Tests {
  private static let place = "https://a.example/api/openapi.yaml"

  private func read(
    _ text: String, others: [String: String] = [:], only: [String] = []
  ) throws(DocumentProblem) -> OpenAPIImport.Result {
    guard let url = ResourceURL(absolute: OpenAPI32Tests.place) else {
      throw DocumentProblem("no URL")
    }
    let set = try DocumentSet(url: url) { (url) throws(DocumentProblem) in
      guard let text = url.text == OpenAPI32Tests.place ? text : others[url.text] else {
        throw DocumentProblem("404", file: url.text)
      }
      return (Array(text.utf8), url)
    }
    var options = OpenAPIImport.Options(name: "x")
    options.only = only.map { NamePattern($0) }
    return try OpenAPIImport.read(set, options)
  }

  private func schemas(_ result: OpenAPIImport.Result) -> String {
    String(decoding: result.schemas ?? [], as: UTF8.self)
  }

  @Test func `IMP-161 rows have the schema of their items, in a list`() throws {
    let text = """
      openapi: 3.2.0
      paths:
        /lines: {get: {operationId: lines, responses: {'200': {content: {application/jsonl: {itemSchema: {$ref: '#/components/schemas/Row'}}}}}}}
        /seq: {get: {operationId: seq, responses: {'200': {content: {application/json-seq: {schema: {type: array, maxItems: 9}}}}}}}
        /both: {get: {operationId: both, responses: {'200': {content: {application/jsonl: {itemSchema: {}}, application/json: {schema: {type: object}}}}}}}
        /named: {get: {operationId: named, responses: {'200': {content: {application/x-ndjson: {$ref: '#/components/mediaTypes/rows'}}}}}}
      components:
        schemas: {Row: {type: object, properties: {id: {type: integer}}}}
        mediaTypes: {rows: {itemSchema: {type: string}}}
      """
    let result = try read(text)
    #expect(result.api.notes == [])
    let written = schemas(result)
    for entry in [
      ##""lines":{"responses":{"200":{"type":"array","items":{"$ref":"#/$defs/Row"}}},"answers":{"200":{"type":"application/jsonl"}}}"##,
      #""seq":{"responses":{"200":{"type":"array","maxItems":9}}"#,
      #""both":{"responses":{"200":{"type":"object"}}}"#,
      #""named":{"responses":{"200":{"type":"array","items":{"type":"string"}}}"#,
    ] {
      #expect(written.contains(entry), "\(written)")
    }
    #expect(
      result.api.calls.map { $0.headers.first?.value } == [
        .plain("application/json, application/jsonl;q=0.9"), .plain("application/jsonl"),
        .plain("application/x-ndjson"), .plain("application/json-seq"),
      ])
    // OpenAPI 3.1 does not define the keyword.
    let old = try read(text.replacing("3.2.0", with: "3.1.0"))
    #expect(!schemas(old).contains("\"items\""))
  }

  @Test func `IMP-162 the schemas of events, and of parts, are reported`() throws {
    let result = try read(
      """
      openapi: 3.2.0
      paths:
        /e: {get: {operationId: e, responses: {'200': {content: {text/event-stream: {itemSchema: {type: object}}}}}}}
        /m: {get: {operationId: m, responses: {'200': {content: {multipart/mixed: {itemSchema: {type: object}}}}}}}
        /p: {post: {operationId: p, requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}, prefixEncoding: [{contentType: text/plain}]}}}}}
      """)
    #expect(result.api.calls[0].headers.first?.value == .plain("text/event-stream"))
    #expect(
      result.api.notes == [
        "the schemas of events are left out, because streams are not validated; read the events "
          + "with --stream or events(): e",
        "'itemSchema' is left out for types that are neither events nor lines of JSON: m",
        "the encoding of parts by their position is left out ('prefixEncoding', 'itemEncoding'): p",
      ])
    #expect(!schemas(result).contains("object\"}"))
  }

  @Test func `IMP-163 rows of an unknown type are read as lines of JSON`() throws {
    let result = try read(
      """
      openapi: 3.2.0
      paths:
        /a: {get: {responses: {'200': {content: {application/vnd.x.rows: {itemSchema: {type: integer}}}}}}}
        /b: {get: {responses: {'200': {content: {application/jsonl: {itemSchema: {type: integer}}}}}}}
        /c: {get: {responses: {'200': {content: {application/json: {itemSchema: {type: integer}}}}}}}
      """)
    #expect(result.api.calls.map(\.responseType) == ["ndjson", nil, nil])
    #expect(APIFileWriter.text(of: result.api).contains(#"response_type = "ndjson""#))
    #expect(
      schemas(result).contains(
        #""get_a":{"responses":{"200":{"type":"array","items":{"type":"integer"}}}"#))
    #expect(result.api.notes.count == 1 && result.api.notes[0].hasSuffix(": get_c"))
  }

  @Test func `IMP-164 a query as a whole becomes parameters, or one text`() throws {
    let api = try read(
      """
      openapi: 3.2.0
      paths:
        /form/{id}:
          post:
            operationId: form
            parameters:
              - {name: id, in: path, required: true, schema: {type: string}}
              - name: all
                in: querystring
                required: true
                content:
                  application/x-www-form-urlencoded:
                    schema:
                      type: object
                      required: [term]
                      properties:
                        term: {type: string, description: What to find}
                        tags: {type: array, items: {type: string}}
                        where: {type: object, properties: {a: {type: string}}}
                        raw: {type: object}
                    encoding: {tags: {explode: false}, where: {style: deepObject}, raw: {contentType: application/json}}
        /map: {get: {operationId: map, parameters: [{name: any, in: querystring, content: {application/x-www-form-urlencoded: {schema: {type: object, additionalProperties: {type: string}}}}}]}}
        /json: {get: {operationId: json, parameters: [{name: json query, in: querystring, description: A filter, content: {application/json: {schema: {type: object}}}}]}}
        /none: {get: {parameters: [{name: a, in: querystring}]}}
      """
    ).api
    let text = APIFileWriter.text(of: api)
    #expect(
      text.contains(
        #"term = { type = "string", place = "query", required = true, description = "What to find" }"#
      ), "\(text)")
    #expect(
      text.contains(#"tags = { type = "string[]", place = "query", explode = false }"#), "\(text)")
    #expect(
      text.contains(#"where = { type = "object", place = "query", style = "deepObject" }"#),
      "\(text)")
    #expect(text.contains(#"raw = { type = "json", place = "query" }"#), "\(text)")
    #expect(text.contains(#"map = { path = "/map", params = { any = "object" } }"#), "\(text)")
    #expect(text.contains(#"path = "/json?{json_query}""#), "\(text)")
    #expect(
      text.contains(#"json_query = { type = "string", description = "A filter" }"#), "\(text)")
    #expect(api.notes == ["the whole query of these calls is one required text: json"])
    #expect(api.leftOut.map(\.reason) == ["the query 'a' has no content"])
    let old = try read(
      "{openapi: 3.1.0, paths: {/a: {get: {parameters: [{name: a, in: querystring}]}}}}")
    #expect(
      old.api.leftOut.map(\.reason) == ["the parameter 'a' is in the unknown place 'querystring'"])
  }

  @Test func `IMP-165 references start at the URI that a document gives itself`() throws {
    func text(_ own: String, _ reference: String) -> String {
      """
      openapi: 3.2.0
      $self: \(own)
      servers: [{url: ../v2}]
      paths: {/a: {get: {operationId: a, parameters: [{$ref: '\(reference)'}]}}}
      components: {parameters: {own: {name: own, in: query}}}
      """
    }
    let others = [
      "https://a.example/specs/more.yaml": "q: {name: specs, in: query}",
      "https://a.example/api/more.yaml": "q: {name: api, in: query}",
      "https://a.example/api/other.yaml":
        "openapi: 3.2.0\n$self: /named/other\npaths: {}\ncomponents: {parameters: {q: {$ref: 'openapi#/components/parameters/own'}}}",
    ]
    for (own, reference, key) in [
      ("/specs/openapi", "more.yaml#/q", "specs"),
      ("../specs/openapi", "more.yaml#/q", "specs"),
      ("https://a.example/specs/openapi", "more.yaml#/q", "specs"),
      ("openapi", "more.yaml#/q", "api"), ("''", "more.yaml#/q", "api"),
      ("https://b.example/x/openapi", "openapi#/components/parameters/own", "own"),
      (
        "https://b.example/x/openapi", "https://b.example/x/openapi#/components/parameters/own",
        "own"
      ),
      ("/named/openapi", "/api/other.yaml#/components/parameters/q", "own"),
      ("'urn:x:shop'", "urn:x:shop#/components/parameters/own", "own"),
    ] {
      let api = try read(text(own, reference), others: others).api
      #expect(api.calls.first?.parameters.map(\.key) == [key], "\(own) \(reference) \(api.leftOut)")
      // The URLs of servers are relative to the place of the document.
      #expect(api.baseURL == "https://a.example/v2")
    }
    let away = try read(text("https://b.example/x/openapi", "more.yaml#/q"), others: others).api
    #expect(away.leftOut.first?.reason.contains("leads to another origin than") == true)
    let old = try read(
      text("/specs/openapi", "more.yaml#/q").replacing("3.2.0", with: "3.1.0"), others: others
    ).api
    #expect(old.calls.first?.parameters.map(\.key) == ["api"])
  }

  @Test func `IMP-166 a login with a code on any device, and schemes by URI`() throws {
    let text = """
      openapi: 3.2.0
      servers: [{url: 'https://a.example'}]
      components:
        securitySchemes:
          device:
            type: oauth2
            flows: {deviceAuthorization: {deviceAuthorizationUrl: 'https://l.example/d', tokenUrl: /t, scopes: {}}}
          meta: {type: oauth2, oauth2MetadataUrl: 'https://l.example/.well-known/x', flows: {implicit: {authorizationUrl: 'https://l.example/a', scopes: {}}}}
          old: {type: apiKey, in: header, name: X-Old, deprecated: true}
          new: {type: http, scheme: basic}
      paths:
        /d: {get: {security: [{device: [r]}]}}
        /m: {get: {security: [{meta: []}]}}
        /o: {get: {security: [{old: []}, {new: []}]}}
        /u: {get: {security: [{'more.yaml#/key': []}]}}
      """
    let api = try read(
      text,
      others: ["https://a.example/api/more.yaml": "key: {type: apiKey, in: header, name: X-Key}"]
    ).api
    var accesses: [String: ImportedAccess] = [:]
    for call in api.calls {
      accesses[call.path] = api.exceptions.last { $0.pattern == call.path }?.access ?? api.access
    }
    #expect(
      accesses["/d"]?.way
        == .device(
          .init(
            tokenURL: "https://a.example/t", deviceURL: "https://l.example/d",
            clientID: "X_DEVICE_CLIENT_ID", scope: "r")))
    #expect(
      APIFileWriter.text(of: api).contains(
        """
        lull.auth.oauth2_device{
        """))
    if case .basic? = accesses["/o"]?.way {} else { Issue.record("\(accesses)") }
    if case .header("X-Key", _, _)? = accesses["/u"]?.way {} else { Issue.record("\(accesses)") }
    #expect(
      api.notes == [
        "the security scheme 'meta' is a bearer token, because Lull does not read "
          + "https://l.example/.well-known/x: for a login, set the URLs in it with "
          + "lull.auth.oauth2_code or lull.auth.oauth2_device"
      ])
  }

  @Test func `IMP-168 a form of alternatives has the fields of all of them`() throws {
    let api = try read(
      """
      openapi: 3.0.0
      paths:
        /a:
          post:
            operationId: a
            requestBody: {required: true, content: {multipart/form-data: {schema: {$ref: '#/components/schemas/Item'}}}}
      components:
        schemas:
          Item: {oneOf: [{$ref: '#/components/schemas/Drink'}, {$ref: '#/components/schemas/Cake'}, {type: string}]}
          Drink: {type: object, required: [name], properties: {name: {type: string}, photo: {type: string, format: binary}}}
          Cake: {type: object, required: [name], properties: {name: {type: string}, calories: {type: integer}}}
      """
    ).api
    let call = try #require(api.calls.first)
    #expect(call.body == .multipart && call.requiresBody)
    #expect(call.parameters.map(\.key) == ["name", "photo", "calories"])
    #expect(call.parameters.map(\.kind) == [.string, .file, .integer])
    #expect(call.parameters.map(\.isRequired) == [false, false, false])
  }

  @Test func `IMP-167 the smaller parts of 3.2 are imported too`() throws {
    let text = """
      openapi: 3.2.0
      servers: [{url: 'https://a.example', name: production}, {url: 'https://b.example', name: staging, description: For tests}]
      tags: [{name: cats, parent: pets}, {name: pets, parent: animals}, {name: animals, parent: cats}]
      paths:
        /a/{p}:
          get:
            operationId: a
            tags: [cats]
            parameters:
              - {name: p, in: path, required: true, allowReserved: true, schema: {type: string}}
              - {name: s, in: cookie, style: cookie, schema: {type: string}}
              - {name: c, in: cookie, schema: {type: string}}
            responses:
              '200':
                summary: Fine
                content:
                  application/json:
                    examples: {a: {dataValue: {n: 1}, serializedValue: '{"n": 1}'}, b: {serializedValue: '{"n": 2}'}, c: {externalValue: x}}
              '400': {content: {text/csv: {examples: {a: {dataValue: [[1, 2]], serializedValue: '1,2'}}}}}
        /b: {get: {operationId: b, tags: [dogs]}}
      """
    let result = try read(text, only: ["animals"])
    #expect(result.api.calls.map(\.name) == ["a"])
    #expect(result.api.environments.map(\.name) == ["production", "staging"])
    #expect(result.api.calls[0].parameters.map(\.isReserved) == [true, true, false])
    let written = schemas(result)
    #expect(
      written.contains(#""200":{"type":"application/json","examples":[{"n":1},{"n":2}]}"#),
      "\(written)")
    #expect(written.contains(#""400":{"type":"text/csv","examples":["1,2"]}"#), "\(written)")
    let old = try read(text.replacing("3.2.0", with: "3.1.0")).api
    #expect(old.calls[0].parameters.map(\.isReserved) == [false, false, false])
  }
}
