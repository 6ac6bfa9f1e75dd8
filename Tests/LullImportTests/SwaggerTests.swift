import LullCore
import LullImport
import Testing

@Suite("Swagger 2.0", .timeLimit(.minutes(20)))
struct SwaggerTests {
  private func read(
    _ document: String, others: [String: String] = [:], only: [String] = [],
    at place: String = "https://a.example/api/swagger.yaml"
  ) throws(DocumentProblem) -> OpenAPIImport.Result {
    guard let url = ResourceURL(absolute: place) else { throw DocumentProblem("no URL") }
    let set = try DocumentSet(url: url) { (url) throws(DocumentProblem) in
      guard let text = url.text == place ? document : others[url.text] else {
        throw DocumentProblem("404", file: url.text)
      }
      return (Array(text.utf8), url)
    }
    var options = OpenAPIImport.Options(name: "x")
    options.only = only.map { NamePattern($0) }
    return try OpenAPIImport.read(set, options)
  }

  private func api(_ document: String) throws(DocumentProblem) -> ImportedAPI {
    try read(document).api
  }

  private func schemas(_ result: OpenAPIImport.Result) -> String {
    String(decoding: result.schemas ?? [], as: UTF8.self)
  }

  @Test func `IMP-154 the server is made of schemes, host and base path`() throws {
    func url(_ head: String) throws(DocumentProblem) -> String {
      try api("swagger: '2.0'\n\(head)\npaths: {/a: {get: {}}}").baseURL
    }
    #expect(
      try url("host: b.example:81\nbasePath: /v2/\nschemes: [http, https]")
        == "https://b.example:81/v2")
    #expect(try url("host: b.example\nschemes: [http]") == "http://b.example")
    #expect(try url("host: b.example\nbasePath: v2") == "https://b.example/v2")
    #expect(try url("basePath: /v2") == "https://a.example/v2")
    #expect(try url("basePath: /\nschemes: [http]") == "http://a.example")
    #expect(throws: DocumentProblem.self) { try url("host: b.example\nschemes: [wss]") }
    let both = try api(
      "{swagger: 2.0, host: b.example, schemes: [http, https, wss], paths: {/a: {get: {}}}}")
    #expect(both.otherServers.map(\.url) == ["http://b.example"])
    #expect(
      both.notes == ["these schemes are not imported, because calls use http and https: wss"])
    let own = try api(
      """
      {"swagger":"2.0","host":"b.example","schemes":["https"],"paths":{
        "/a":{"get":{"schemes":["http"]},"put":{"schemes":["https","http"]}}}}
      """)
    #expect(own.calls.map(\.method) == ["PUT"])
    #expect(own.leftOut.first?.reason.contains("its own server, http://b.example") == true)
  }

  @Test func `IMP-154 a file without schemes uses https, and says so`() throws {
    let set = try DocumentSet(
      bytes: Array("{swagger: '2.0', host: b.example, paths: {/a: {get: {}}}}".utf8), name: "x")
    let api = try OpenAPIImport.read(set, OpenAPIImport.Options(name: "x")).api
    #expect(api.baseURL == "https://b.example")
    #expect(api.notes == ["the document has no 'schemes', so https is used: b.example"])
    let without = try DocumentSet(
      bytes: Array("{swagger: '2.0', basePath: /v1, paths: {/a: {get: {}}}}".utf8), name: "x")
    #expect(
      throws: DocumentProblem(
        "the server '/v1' is not an absolute URL: pass --base-url URL", file: "x")
    ) {
      try OpenAPIImport.read(without, OpenAPIImport.Options(name: "x"))
    }
  }

  @Test func `IMP-155 lists have the separators that the document declares`() throws {
    let api = try api(
      """
      swagger: '2.0'
      paths:
        /a/{ids}:
          parameters:
            - {name: ids, in: path, required: true, type: array, items: {type: integer}}
            - {name: q, in: query, type: string}
          get:
            operationId: a
            parameters:
              - {name: q, in: query, type: integer, minimum: 1}
              - {name: csv, in: query, type: array, items: {enum: [x, y], type: string}}
              - {name: multi, in: query, type: array, collectionFormat: multi, items: {type: string}}
              - {name: ssv, in: query, type: array, collectionFormat: ssv, items: {type: string}}
              - {name: pipes, in: query, type: array, collectionFormat: pipes, items: {type: string}}
              - {name: tsv, in: query, type: array, collectionFormat: tsv, items: {type: string}}
              - {name: X-Ids, in: header, type: array, items: {type: string}}
              - {name: X-Pipes, in: header, type: array, collectionFormat: pipes, items: {type: string}}
      """)
    let call = try #require(api.calls.first)
    func parameter(_ key: String) -> ImportedParameter? { call.parameters.first { $0.key == key } }
    #expect(parameter("ids")?.isList == true && parameter("ids")?.kind == .integer)
    #expect(parameter("ids")?.explode == nil && parameter("ids")?.style == nil)
    #expect(parameter("q")?.kind == .integer)
    #expect(parameter("csv")?.explode == false && parameter("csv")?.kind == .choice(["x", "y"]))
    #expect(parameter("multi")?.explode == nil && parameter("multi")?.isList == true)
    #expect(parameter("ssv")?.style == "spaceDelimited" && parameter("ssv")?.explode == nil)
    #expect(parameter("pipes")?.style == "pipeDelimited")
    #expect(parameter("X-Ids")?.isList == true)
    for key in ["tsv", "X-Pipes"] {
      #expect(parameter(key)?.isList == false && parameter(key)?.kind == .string)
    }
    #expect(
      api.notes == [
        "the separators of these lists cannot be imported: pass the joined text as the value: "
          + "'tsv' of GET /a/{ids}, 'X-Pipes' of GET /a/{ids}"
      ])
  }

  @Test func `IMP-156 bodies and form fields have the types that the operation consumes`() throws {
    let api = try api(
      """
      swagger: '2.0'
      consumes: [application/x-www-form-urlencoded, multipart/form-data]
      paths:
        /body:
          post:
            consumes: [application/xml, application/vnd.x+json]
            parameters:
              - {name: b, in: body, required: true, schema: {$ref: '#/definitions/Pet'}}
              - {name: f, in: formData, type: string}
        /file:
          post:
            parameters:
              - {name: photo, in: formData, type: file, required: true}
              - {name: tags, in: formData, type: array, collectionFormat: multi, items: {type: string}}
              - {name: words, in: formData, type: array, items: {type: string}}
        /form:
          put:
            parameters:
              - {name: name, in: formData, type: string, required: true, description: The name}
              - {name: sizes, in: formData, type: array, items: {type: integer}}
              - {name: many, in: formData, type: array, collectionFormat: multi, items: {type: integer}}
        /none:
          post:
            consumes: []
            parameters: [{name: b, in: body, schema: {type: array, items: {type: string}}}]
        /text:
          post:
            consumes: [text/plain]
            parameters: [{name: b, in: body, required: true, schema: {type: string}}]
      definitions:
        Pet: {type: object, required: [id], properties: {id: {type: integer}, name: {type: string}}}
      """)
    let calls = api.calls
    #expect(calls.map(\.body) == [.json, .multipart, .form, .json, .raw])
    #expect(
      calls[0].contentType == "application/vnd.x+json" && calls[0].leftBodies == ["application/xml"]
    )
    #expect(calls[0].parameters.map(\.key) == ["id", "name"])
    #expect(calls[0].parameters.map(\.isRequired) == [true, false])
    #expect(calls[1].parameters.map(\.kind) == [.file, .string, .string])
    #expect(calls[1].parameters.map(\.isList) == [false, true, false])
    #expect(calls[1].parameters.map(\.isRequired) == [true, false, false])
    #expect(calls[2].parameters.map(\.explode) == [nil, false, nil])
    #expect(calls[2].parameters[0].description == "The name")
    #expect(calls[3].parameters.map(\.isWhole) == [true])
    #expect(calls[4].contentType == "text/plain")
    #expect(
      api.notes.filter { !$0.hasPrefix("body types") } == [
        "the separators of these lists cannot be imported: pass the joined text as the value: "
          + "'words' of POST /file", "form fields beside a body are left out: POST /body",
      ])
  }

  @Test func `IMP-157 responses have the produced types, and schemas keep what Swagger adds`()
    throws
  {
    let result = try read(
      """
      swagger: '2.0'
      produces: [application/xml, application/json]
      paths:
        /file: {get: {operationId: file, produces: [image/png], responses: {'200': {description: x, schema: {type: file}}}}}
        /pet:
          get:
            operationId: pet
            responses:
              '200':
                description: x
                schema: {$ref: '#/definitions/Pet'}
                examples: {application/json: {kind: Cat}, text/plain: a cat}
              default: {$ref: '#/responses/Problem'}
      definitions:
        Pet:
          type: object
          discriminator: kind
          required: [kind]
          properties: {kind: {type: string}, owner: {type: string, x-nullable: true}}
        Cat: {allOf: [{$ref: '#/definitions/Pet'}]}
      responses:
        Problem: {description: x, schema: {type: object, properties: {text: {type: string}}}}
      """)
    #expect(result.api.notes == [])
    func accept(_ call: ImportedCall) -> ImportedText? { call.headers.first?.value }
    #expect(accept(result.api.calls[0]) == .plain("image/png"))
    #expect(
      accept(result.api.calls[1])
        == .plain("application/json, application/xml;q=0.9, text/plain;q=0.9"))
    let text = schemas(result)
    #expect(
      text.contains(##""responses":{"200":{"$ref":"#/$defs/Pet"},"default":{"type":"object""##),
      "\(text)")
    #expect(text.contains(#""owner":{"type":["string","null"]}"#), "\(text)")
    #expect(text.contains(#""discriminator":{"propertyName":"kind"}"#), "\(text)")
    #expect(text.contains(#""examples":[{"kind":"Cat"}]"#), "\(text)")
    #expect(!text.contains("x-nullable"))
  }

  @Test func `IMP-158 security definitions become credentials, and so do Authorization headers`()
    throws
  {
    let api = try api(
      """
      swagger: '2.0'
      securityDefinitions:
        basic: {type: basic}
        key: {type: apiKey, in: query, name: k}
        app: {type: oauth2, flow: application, tokenUrl: 'https://l.example/t', scopes: {r: read}}
        code: {type: oauth2, flow: accessCode, tokenUrl: 'https://l.example/t', authorizationUrl: 'https://l.example/a', scopes: {}}
        implicit: {type: oauth2, flow: implicit, authorizationUrl: 'https://l.example/a', scopes: {}}
      paths:
        /app: {get: {security: [{app: [r]}]}}
        /basic: {get: {security: [{basic: []}]}}
        /code: {get: {security: [{code: []}], parameters: [{name: Authorization, in: header, type: string}]}}
        /header: {get: {parameters: [{name: Authorization, in: header, type: string, required: true}]}}
        /implicit: {get: {security: [{implicit: []}]}}
        /key: {get: {security: [{key: []}]}}
        /maybe: {get: {parameters: [{name: authorization, in: header, type: string}]}}
      """)
    var accesses: [String: ImportedAccess] = [:]
    for call in api.calls {
      accesses[call.path] =
        api.exceptions.last { $0.pattern == call.path }?.access ?? api.access
      #expect(call.parameters.isEmpty)
    }
    #expect(
      accesses["/app"]?.way
        == .clientCredentials(
          .init(
            tokenURL: "https://l.example/t", clientID: "X_APP_CLIENT_ID",
            clientSecret: "X_APP_CLIENT_SECRET", scope: "r")))
    #expect(accesses["/basic"]?.way == .basic(user: "X_USER", password: "X_PASSWORD"))
    #expect(
      accesses["/code"]?.way
        == .code(
          .init(
            tokenURL: "https://l.example/t", authorizationURL: "https://l.example/a",
            clientID: "X_CODE_CLIENT_ID")))
    let header = ImportedAccess.Way.header(
      name: "Authorization", prefix: "", variable: "X_AUTHORIZATION_KEY")
    #expect(accesses["/header"] == ImportedAccess(header))
    #expect(accesses["/maybe"] == ImportedAccess(header, isOptional: true))
    #expect(
      accesses["/key"]?.way == .query([.init(name: "k", variable: "X_KEY_KEY")])
        || accesses["/key"]?.way == .query([.init(name: "k", variable: "X_KEY")]))
    if case .bearer? = accesses["/implicit"]?.way {} else { Issue.record("\(accesses)") }
  }

  @Test func `IMP-158 a key whose name no header can have is reported`() throws {
    let api = try api(
      """
      swagger: '2.0'
      securityDefinitions: {odd: {type: apiKey, in: header, name: 'X"); a('}}
      security: [{odd: []}]
      paths: {/a: {get: {}}}
      """)
    #expect(api.access == ImportedAccess())
    #expect(
      api.notes == [
        "GET /a: the security scheme 'odd' has a key whose name is not valid in a header; "
          + "the request is sent without credentials"
      ])
  }

  @Test func `IMP-159 parts of a Swagger document may be in other files of its origin`() throws {
    let result = try read(
      """
      swagger: '2.0'
      paths:
        /item: {$ref: 'parts/item.yaml'}
        /own: {get: {operationId: own, parameters: [{$ref: 'parts/more.yaml#/q'}, {$ref: '#/parameters/p'}], responses: {'200': {$ref: 'parts/more.yaml#/ok'}}}}
        /none: {get: {parameters: [{$ref: 'none.yaml#/q'}]}}
        /away: {$ref: 'https://b.example/x.yaml'}
        /self: {get: {operationId: self, responses: {'200': {description: x, schema: {$ref: '#/paths/~1own/get/responses/200/none'}}}}}
      parameters: {p: {name: p, in: query, type: boolean}}
      definitions: {Pet: {type: object, properties: {id: {type: integer}}}}
      """,
      others: [
        "https://a.example/api/parts/item.yaml": """
        post:
          operationId: item
          parameters: [{name: b, in: body, schema: {$ref: 'more.yaml#/Box'}}]
          responses: {'200': {description: x, schema: {type: array, items: {$ref: '../swagger.yaml#/definitions/Pet'}}}}
        """,
        "https://a.example/api/parts/more.yaml": """
        q: {name: q, in: query, type: array, items: {type: integer}}
        ok: {description: x, schema: {$ref: '#/Box'}}
        Box: {type: object, properties: {pet: {$ref: '../swagger.yaml#/definitions/Pet'}, note: {type: string, x-nullable: true}}}
        """,
      ])
    let api = result.api
    #expect(api.calls.map(\.name) == ["item", "own", "self"])
    #expect(api.calls[0].parameters.map(\.key) == ["pet", "note"])
    #expect(api.calls[1].parameters.map(\.key) == ["q", "p"])
    #expect(api.calls[1].parameters[0].explode == false)
    let text = schemas(result)
    #expect(
      text.contains(##""responses":{"200":{"type":"array","items":{"$ref":"#/$defs/Pet"}}}"##),
      "\(text)")
    #expect(
      text.contains(
        ##""Box":{"type":"object","properties":{"pet":{"$ref":"#/$defs/Pet"},"note":{"type":["string","null"]}}}"##
      ), "\(text)")
    #expect(
      api.leftOut.map(\.what) == ["/away", "GET /none"]
        && api.leftOut[0].reason.contains("leads to another origin")
        && api.leftOut[1].reason.contains("404"), "\(api.leftOut)")
    #expect(api.notes.contains { $0.contains("has no target") })
  }

  @Test func `IMP-160 what the conversion loses is reported for the operations that are imported`()
    throws
  {
    let text = """
      swagger: '2.0'
      paths:
        /a: {get: {tags: [one], parameters: [{name: Accept, in: header, type: string}]}}
        /b: {get: {tags: [two], parameters: [{name: content-type, in: header, type: string, required: true}]}}
      """
    let all = try api(text)
    #expect(all.calls.count == 2 && all.calls.allSatisfy(\.parameters.isEmpty))
    #expect(
      all.notes == [
        "these header parameters are left out, because Lull sets the headers: 'Accept' of GET /a, "
          + "'content-type' of GET /b"
      ])
    let one = try read(text, only: ["one"]).api
    #expect(one.calls.count == 1)
    #expect(
      one.notes == [
        "these header parameters are left out, because Lull sets the headers: 'Accept' of GET /a"
      ])
  }

  @Test func `IMP-12 other versions of Swagger, and documents without paths, are refused`() {
    for (text, problem) in [
      ("{swagger: '1.2', paths: {}}", "the document is Swagger 1.2, but only 2.0 is supported"),
      ("{swaggerVersion: '1.1'}", "the document is Swagger 1.1, but only 2.0 is supported"),
      ("{swagger: 3, paths: {}}", "the document is Swagger 3, but only 2.0 is supported"),
      ("{swagger: '2.0'}", "the document has no 'paths'"),
      ("{swagger: '2.0', paths: []}", "the document has no 'paths'"),
    ] {
      #expect(throws: DocumentProblem(problem, file: "https://a.example/api/swagger.yaml")) {
        try api(text)
      }
    }
  }

  @Test func `IMP-26 a document of odd parts is converted within limits`() throws {
    for text in [
      "{swagger: '2.0', paths: {/a: {get: {parameters: [1, {in: query}, {$ref: '#/paths'}]}}}}",
      "{swagger: '2.0', paths: {/a: {$ref: '#/paths/~1a'}}}",
      "{swagger: '2.0', paths: {/a: {get: {parameters: {a: 1}, responses: [1], consumes: x, produces: {}}}}}",
      "{swagger: '2.0', schemes: https, host: 1, basePath: [], paths: {/a: {post: {parameters: [{in: body}, {in: formData}]}}}}",
      "{swagger: '2.0', securityDefinitions: {a: 1, b: {type: oauth2}}, security: [{a: []}, {b: []}], paths: {/a: {get: {}}}}",
    ] {
      _ = try api(text)
    }
  }
}
