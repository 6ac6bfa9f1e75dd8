import Testing

/// What `lull mock` takes from schemas.
@Suite("lull mock: schemas", .timeLimit(.minutes(20)))
struct MockSchemaTests {
  private static let schemas = """
    {"calls":{
    "user":{"responses":{"200":{"$ref":"#/$defs/user"}},"parameters":{"id":{"maxLength":3}}},
    "add":{"responses":{"201":{"$ref":"#/$defs/user"}},"body":{"$ref":"#/$defs/user"}},
    "note":{"responses":{"201":{"const":"noted"}},"body_required":true},
    "said":{"responses":{"200":{"type":"integer"}}},
    "never":{"responses":{"200":false}}
    },"$defs":{
    "user":{"type":"object","required":["id","name"],"properties":{"id":{"type":"integer","minimum":1},"name":{"type":"string"},"born":{"type":"string","format":"date"}}}
    }}
    """

  private func mock() throws -> MockProcess {
    try MockProcess(
      calls: """
        user = { path = "/users/{id}" },
        add = { path = "/users", method = "POST", params = { id = "json", name = "json" } },
        note = { path = "/notes", method = "POST", body = "form", params = { text = "string" } },
        said = { path = "/said", example = "by example" },
        never = { path = "/never" },
        own = { path = "/own", schema = { type = "array", items = { const = 5 } } },
        """, schemas: MockSchemaTests.schemas)
  }

  @Test func `SCH-30 where nothing else answers, what the schema says does`() throws {
    let mock = try mock()
    let user = #"{"id":1,"name":"string","born":"2024-01-01"}"#
    #expect(try mock.body("/users/7") == user)
    #expect(try mock.body("/users/7") == user)
    #expect(try mock.curl("/users/7").contains("content-type: application/json"))
    #expect(try mock.body("/said") == "\"by example\"")
    #expect(try mock.body("/own") == "[5]")
    #expect(try mock.curl("/never").hasPrefix("HTTP/1.1 501 "))
    let added = try mock.curl("/users", "--json", #"{"id":3,"name":"Ann"}"#)
    #expect(added.hasPrefix("HTTP/1.1 201 ") && added.contains(user), "\(added)")
  }

  @Test func `SCH-31 bodies and parameters that do not fit are a 400 that says where`() throws {
    let mock = try mock()
    let wrong = try mock.curl("/users", "--json", #"{"id":0,"name":"Ann"}"#)
    #expect(wrong.hasPrefix("HTTP/1.1 400 "), "\(wrong)")
    #expect(
      wrong.contains(
        "the body of call 'add' does not match its schema: /id: must be at least 1, got 0"),
      "\(wrong)")
    let long = try mock.curl("/users/1234")
    #expect(long.hasPrefix("HTTP/1.1 400 "), "\(long)")
    #expect(long.contains("the parameter 'id' of call 'user'"), "\(long)")
  }

  @Test func `MCK-29 a body that must come and does not is a 400`() throws {
    let mock = try mock()
    let missing = try mock.curl("/notes", "-X", "POST")
    #expect(missing.hasPrefix("HTTP/1.1 400 "), "\(missing)")
    #expect(missing.contains("the body of call 'note' is missing"), "\(missing)")
    #expect(try mock.curl("/notes", "-d", "text=x").contains("\"noted\""))
    // Of a field that is not declared nothing is said.
    #expect(try mock.curl("/notes", "-d", "other=x").contains("\"noted\""))
  }
}
