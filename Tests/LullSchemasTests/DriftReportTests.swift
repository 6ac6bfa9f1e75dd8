import LullCore
import LullSchemas
import Testing

@Suite(.timeLimit(.minutes(20))) struct DriftReportTests {
  private static let schemas = ##"""
    {"calls":{"users":{"responses":{"200":{"type":"array","items":{"$ref":"#/$defs/user"}},"4XX":{"type":"object","properties":{"message":{"type":"string"}}}}}},
    "$defs":{"user":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"},"role":{"enum":["admin","member"]},"nick":{"type":"string"},"a/b~c":{"type":"string"},"tags":{"type":"object","additionalProperties":{"type":"integer"}},"any":{"type":"object"}},"required":["id","name"]}}}
    """##

  private static func report(
    _ samples: String..., schemas: String = schemas, status: Int = 200
  ) throws -> [String] {
    var report = DriftReport(try SchemaFile(Array(schemas.utf8), name: "x"))
    for sample in samples {
      let document = try JSONDocument(parsing: Array(sample.utf8))
      try report.add(document.root, type: "", status: status, of: "users")
    }
    return lines(report)
  }

  private static func lines(_ report: DriftReport) -> [String] {
    report.sorted.map { finding in
      [
        finding.tier.rawValue, finding.change.rawValue, finding.pointer, finding.declared,
        finding.found, "\(finding.samples)/\(finding.of)",
      ].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  @Test func `DRF-01 what is missing or of another type is breaking, what is new is added`() throws
  {
    #expect(
      try DriftReportTests.report(
        #"[{"id":1,"name":"Ann"},{"id":"2","name":null,"age":3}]"#,
        #"[{"id":1},{"id":true,"name":"Ben","age":null,"tags":{"x":"y","z":1},"any":{"q":1}}]"#,
        #"[]"#) == [
          "breaking type /*/id integer string|boolean 2/3",
          "breaking removed /*/name required missing 1/3",
          "breaking type /*/name string null 1/3",
          "breaking type /*/tags/* integer string 1/3",
          "added added /*/age integer|null 2/3",
        ])
    #expect(try DriftReportTests.report(#"{"id":1}"#) == ["breaking type array object 1/1"])
  }

  @Test func `DRF-02 another word, or a fraction for a whole number, is a change`() throws {
    #expect(
      try DriftReportTests.report(
        #"[{"id":1.5,"name":"Ann","role":"guest-7c1e"},{"id":2.0,"name":"x","role":"admin"}]"#) == [
          "changed type /*/id integer number 1/1", "changed word /*/role 2 words another 1/1",
        ])
  }

  @Test func `DRF-03 of several schemas the one counts that a value is most like`() throws {
    let schemas = ##"""
      {"calls":{"users":{"responses":{"200":{"oneOf":[{"$ref":"#/$defs/cat"},{"$ref":"#/$defs/dog"},{"type":"null"}]}}}},
      "$defs":{"cat":{"type":"object","properties":{"kind":{"const":"cat"},"lives":{"type":"integer"},"name":{"type":"string"}},"required":["kind","lives"]},
      "dog":{"allOf":[{"type":"object","properties":{"kind":{"const":"dog"},"barks":{"type":"boolean"},"name":{"type":"string"}},"required":["kind","barks"]}]}}}
      """##
    #expect(
      try DriftReportTests.report(
        #"{"kind":"dog","lives":9,"name":1,"barks":true}"#, #"null"#,
        #"{"kind":"cat","lives":9,"name":"x"}"#, schemas: schemas) == [
          "breaking type /name string integer 1/3", "added added /lives integer 1/3",
        ])
  }

  @Test func `DRF-04 what was never there, or compared with nothing, is a note`() throws {
    #expect(
      try DriftReportTests.report(
        #"[{"id":1,"name":"x","nick":"y","role":"admin","tags":{},"any":1}]"#,
        #"[{"id":1,"name":"x"}]"#, #"[{"id":1,"name":"x"},{"id":2,"name":"x"}]"#) == [
          "breaking type /*/any object integer 1/3", "note unseen /*/a~1b~0c optional never 3/3",
        ])
    var report = DriftReport(try SchemaFile(Array(DriftReportTests.schemas.utf8), name: "x"))
    let document = try JSONDocument(parsing: Array(#"{"message":1}"#.utf8))
    for _ in 0..<2 { try report.add(document.root, type: "", status: 500, of: "users") }
    try report.add(document.root, type: "", status: 404, of: "users")
    try report.add(nil, type: "text/html", status: 200, of: "users")
    try report.add(document.root, type: "", status: 200, of: "orders")
    report.add(undeclared: "GET /x")
    #expect(
      DriftReportTests.lines(report) == [
        "breaking type JSON text/html 1/1", "breaking type /message string integer 1/1",
        "note undeclared call GET /x 1/1", "note no schema 1/1", "note undeclared status 2/2",
      ])
    #expect(report.compared == 2)
  }

  @Test func `DRF-05 keys that are data stand in no place`() throws {
    #expect(
      try DriftReportTests.report(
        #"[{"id":1,"name":"x","sk_live_4eC39HqLyjWDarjtT1zdp7dc":1,"ann@example.com":"y"}]"#) == [
          "added added /*/* integer|string 1/1"
        ])
  }

  @Test func `DRF-12 references lead to anchors, identifiers, and relative to these`() throws {
    let schemas = ##"""
      {"calls":{"users":{"responses":{"200":{"type":"array","items":{"$ref":"https://a.example/user"}}}}},
      "$defs":{"user":{"$id":"https://a.example/user","type":"object","properties":{"id":{"$ref":"#/$defs/id"},"up":{"$ref":"pet"},"at":{"$ref":"#place"},"back":{"$ref":"/user#place"}},"$defs":{"id":{"type":"integer"},"at":{"$anchor":"place","type":"string"}}},
      "pet":{"$id":"https://a.example/pet","type":"boolean"},"id":{"type":"null"}}}
      """##
    let sample = #"[{"id":"1","up":1,"at":2,"back":null}]"#
    let expected = [
      "breaking type /*/at string integer 1/1", "breaking type /*/back string null 1/1",
      "breaking type /*/id integer string 1/1", "breaking type /*/up boolean integer 1/1",
    ]
    #expect(try DriftReportTests.report(sample, schemas: schemas) == expected)
    // The same written by a person, which is parsed whole.
    let spread = schemas.replacing(",", with: ",\n ")
    #expect(try DriftReportTests.report(sample, schemas: spread) == expected)
    for (old, reason) in [
      (#""pet"}"#, "refers to another document, 'https://a.example/none': schemas are not fetched"),
      ("#place", "there is no such anchor"), ("#/$defs/id", "has no target"),
    ] {
      let lost = schemas.replacing(old, with: old.hasPrefix("#") ? old + "x" : #""none"}"#)
      let problem = #expect(throws: SchemaProblem.self) {
        try DriftReportTests.report(sample, schemas: lost)
      }
      #expect(problem?.description.contains(reason) == true, "\(String(describing: problem))")
    }
  }

  @Test func `DRF-12 names are known wherever they stand in what a call says`() throws {
    func report(_ schema: String, _ definitions: String = "") throws -> [String] {
      try DriftReportTests.report(
        #"{"n":1,"b":2}"#,
        schemas:
          "{\"calls\":{\"users\":{\"responses\":{\"200\":\(schema)}}},\n\"$defs\":{\"k\":{\"type\":\"integer\"}\(definitions)}}"
      )
    }
    let own =
      ##""type":"object","properties":{"n":{"$ref":"#/$defs/k"},"b":{}},"$defs":{"k":{"type":"string"}}"##
    #expect(
      try report(#"{"$id":"http://e/root",\#(own)}"#) == ["breaking type /n string integer 1/1"])
    #expect(
      try report(#"{"allOf":[{"$id":"http://e/root",\#(own)}]}"#) == [
        "breaking type /n string integer 1/1"
      ])
    #expect(
      try report(##"{"$ref":"#/$defs/u"}"##, #","u":{"$id":"http://e/u",\#(own)}"#) == [
        "breaking type /n string integer 1/1"
      ])
    #expect(
      try report(##"{"properties":{"n":{"$anchor":"A","type":"string"},"b":{"$ref":"#A"}}}"##) == [
        "breaking type /b string integer 1/1", "breaking type /n string integer 1/1",
      ])
    #expect(
      try report(
        ##"{"$id":"http://e/r","properties":{"n":{"$ref":"k"},"b":{"$ref":"#"}},"$defs":{"x":{"$id":"k","type":"boolean"}}}"##
      ) == ["breaking type /n boolean integer 1/1"])
  }

  @Test func `DRF-14 what nothing fits, words of several lists, and patterns that cannot be used`()
    throws
  {
    func report(_ schema: String, _ sample: String) throws -> [String] {
      try DriftReportTests.report(
        sample, schemas: "{\"calls\":{\"users\":{\"responses\":{\"200\":\(schema)}}}}")
    }
    #expect(try report("false", "1") == ["breaking type nothing integer 1/1"])
    #expect(
      try report(
        #"{"properties":{"a":false,"b":{"prefixItems":[{}],"items":false}}}"#, #"{"a":1,"b":[1,2]}"#
      ) == [
        "breaking type /a nothing integer 1/1", "breaking type /b/* nothing integer 1/1",
      ])
    #expect(
      try report(#"{"allOf":[{"enum":["a","b"]},{"enum":["b"]}]}"#, #""a""#) == [
        "changed word 1 word another 1/1"
      ])
    let one =
      #"{"oneOf":[{"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false},{"patternProperties":{"^y":{"type":"integer"}},"additionalProperties":false}]}"#
    #expect(try report(one, #"{"y1":1}"#) == [])
    for types in [
      #"{"type":"number"},{"type":"integer"}"#, #"{"type":"integer"},{"type":"number"}"#,
    ] {
      #expect(try report("{\"allOf\":[\(types)]}", "1") == [])
      #expect(
        try report("{\"allOf\":[\(types)]}", #""x""#) == ["breaking type integer string 1/1"])
    }
    let problem = #expect(throws: SchemaProblem.self) {
      try report(#"{"patternProperties":{"(":{}}}"#, #"{"a":1}"#)
    }
    #expect(problem?.message.contains("the pattern '(' cannot be used") == true)
  }

  @Test func `DRF-13 fields that fit different patterns are told each`() throws {
    let schemas =
      ##"{"calls":{"users":{"responses":{"200":{"type":"object","patternProperties":{"^n_":{"type":"integer"},"^s_":{"type":"string"}},"additionalProperties":{"type":"boolean"}}}}}}"##
    #expect(
      try DriftReportTests.report(
        #"{"n_a":1,"n_b":"x","s_a":2,"s_b":3,"other":null}"#, schemas: schemas) == [
          "breaking type /* boolean null 1/1", "breaking type /* integer string 1/1",
          "breaking type /* string integer 1/1",
        ])
  }

  @Test func `SHP-06 what was inferred of samples describes them`() throws {
    let samples = [
      #"{"a":[{"x":1,"t":{"x":2,"t":null}},{"x":null}],"m":{"1":[1],"2":["a",{"z":1}]},"b":true}"#,
      #"{"a":[],"m":{"3":null},"b":{"c":[[1.5],[]]}}"#, #"{"a":null,"m":{},"b":[{"x":1,"y":2}]}"#,
    ]
    let schemas = try ShapeTests.shapes(samples).schemas(in: ["users"]).encoded()
    var report = DriftReport(try SchemaFile(schemas, name: "x"))
    for sample in samples {
      let document = try JSONDocument(parsing: Array(sample.utf8))
      try report.add(document.root, type: "", status: 200, of: "users")
    }
    #expect(DriftReportTests.lines(report) == [])
  }
}
