import Testing

/// Examples of OpenAPI documents, and what else a mock needs.
@Suite("Imported examples", .timeLimit(.minutes(20)))
struct ImportedExampleTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private func schemas(_ version: String, _ paths: String, _ components: String = "") throws
    -> String
  {
    try folder.write(
      "x.json",
      """
      {"openapi":"\(version)","info":{"title":"X","version":"1"},
       "servers":[{"url":"https://x.example/v1"}],
       "paths":{\(paths)},"components":{\(components)}}
      """)
    let (ending, text) = try folder.importing(["openapi", "x.json"], as: "x")
    #expect(ending.code == 0 && ending.errors == "", "\(ending)\n\(text)")
    return folder.text("apis/x.schemas.json") ?? ""
  }

  private static func get(_ id: String, _ responses: String) -> String {
    #""/\#(id)":{"get":{"operationId":"\#(id)","responses":{\#(responses)}}}"#
  }

  @Test(arguments: ["3.0.3", "3.1.0"])
  func `IMP-150 examples of schemas and media types are in the schemas`(version: String) throws {
    let text = try schemas(
      version,
      Self.get(
        "s",
        #"""
        "200":{"description":"","content":{"application/json":{"schema":{"type":"object",
        "properties":{"a":{"type":"integer","example":0},"example":{"type":"string"}}}}}}
        """#) + ","
        + Self.get(
          "m",
          ##"""
          "200":{"description":"","content":{"application/json":{"schema":{"type":"object"},
          "examples":{"one":{"$ref":"#/components/examples/E"},"two":{"value":{"n":2}},
          "three":{"externalValue":"https://x.example/3"}}}}}
          """##), #""examples":{"E":{"value":{"n":1}}}"#)
    #expect(
      text.contains(
        #""properties":{"a":{"type":"integer","examples":[0]},"example":{"type":"string"}}"#),
      "\(text)")
    #expect(text.contains(#""answers":{"200":{"examples":[{"n":1},{"n":2}]}}"#), "\(text)")
  }

  @Test func `IMP-150 lists of examples count before a single one`() throws {
    let text = try schemas(
      "3.1.0",
      Self.get(
        "s",
        #"""
        "200":{"description":"","content":{"application/json":{"schema":{"type":"object",
        "properties":{"a":{"type":"integer","example":1,"examples":[2,3]},
        "b":{"type":"integer","example":4,"examples":{}}}}}}}
        """#))
    #expect(text.contains(#""a":{"type":"integer","examples":[2,3]}"#), "\(text)")
    #expect(text.contains(#""b":{"type":"integer","examples":[4]}"#), "\(text)")
  }

  @Test func `IMP-151 statuses of operations without a schema are in the schemas`() throws {
    let text = try schemas(
      "3.0.3",
      [
        Self.get("a", #""204":{"description":""},"404":{"description":""}"#),
        Self.get(
          "b",
          #""200":{"description":"","content":{"text/html":{"example":"<p>"}}}"#),
        Self.get("c", #""404":{"description":""}"#),
        Self.get(
          "d",
          #"""
          "200":{"description":"","content":{"application/json":{"schema":{"type":"object"}}}},
          "204":{"description":""}
          """#),
      ].joined(separator: ","))
    #expect(text.contains(#""a":{"answers":{"204":{}}}"#), "\(text)")
    #expect(
      text.contains(#""b":{"answers":{"200":{"type":"text/html","examples":["<p>"]}}}"#), "\(text)")
    #expect(text.contains(#""c":{"answers":{"404":{}}}"#), "\(text)")
    #expect(text.contains(#""d":{"responses":{"200":{"type":"object"}}}"#), "\(text)")
  }

  @Test func `IMP-152 discriminators map to the definitions of the schemas`() throws {
    let text = try schemas(
      "3.0.3",
      Self.get(
        "p",
        ##"""
        "200":{"description":"","content":{"application/json":{"schema":{"oneOf":[
        {"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],
        "discriminator":{"propertyName":"kind","mapping":{"feline":"Cat"}}}}}}
        """##),
      #""schemas":{"Cat":{"type":"object"},"Dog":{"type":"object"}}"#)
    // Which one applies the property says: a value may fit both.
    #expect(text.contains(##""anyOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"}]"##), "\(text)")
    #expect(
      text.contains(
        ##""discriminator":{"propertyName":"kind","mapping":{"feline":"#/$defs/Cat","Dog":"#/$defs/Dog"}}"##
      ), "\(text)")
  }

  @Test func `IMP-153 --with-mock adds an environment, which later imports keep`() throws {
    try folder.write(
      "x.json",
      """
      {"openapi":"3.0.3","info":{"title":"X","version":"1"},
       "servers":[{"url":"https://x.example/v1"}],
       "paths":{"/a":{"get":{"operationId":"a","responses":{"204":{"description":""}}}}}}
      """)
    let (ending, text) = try folder.importing(["openapi", "x.json", "--with-mock"], as: "x")
    #expect(
      ending.errors
        == "lull: the environment 'mock' is served by 'lull mock apis/x.lua --port 8080'\n")
    let environment = #"environments = { mock = { base_url = "http://localhost:8080/v1" } }"#
    #expect(text.contains(environment), "\(text)")
    let (again, second) = try folder.importing(["openapi", "x.json"], as: "x")
    #expect(again.errors == "" && second == text, "\(again)\n\(second)")
    let shown = try lull("call", "x@mock", "a", "--dry-run", folder: folder.path)
    #expect(shown.output.contains("localhost:8080"), "\(shown)")
    let curl = try lull(
      "import", "curl", "curl https://x.example/a", "--with-mock", folder: folder.path)
    #expect(
      curl.code == 2 && curl.errors.contains("--with-mock cannot be used with curl"), "\(curl)")
  }
}
