import Testing

/// Answers held against the schemas of an API file.
@Suite("Validation", .timeLimit(.minutes(20)))
struct ValidationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "a.schemas.json",
      """
      {"$schema":"https://json-schema.org/draft/2020-12/schema","calls":{
      "users":{"responses":{"200":{"items":{"$ref":"#/$defs/user"}},"4XX":{"$ref":"#/$defs/problem"}}},
      "user":{"responses":{"default":{"$ref":"#/$defs/user"}}}
      },"$defs":{
      "user":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}},
      "problem":{"type":"object","required":["title"]}
      }}

      """)
  }

  /// An API whose every answer is this.
  private func write(
    _ body: String, validate: String?, status: Int = 200, type: String = "application/json",
    calls: String = "", schemas: String = "a.schemas.json"
  ) throws {
    try folder.write(
      "a.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.example/v1", networking = function(request)
        return { status = \(status), body = [==[\(body)]==],
          headers = { ["Content-Type"] = "\(type)" } } end }
      for _, pattern in ipairs{ "/users", "/users/**" } do
        api:configure(pattern, { validate = \(validate ?? "false") })
      end
      return { service = api, schemas = "\(schemas)", calls = {
        users = { path = "/users" }, user = { path = "/users/{id}", params = { id = "string" } },
        me = { path = "/users/me", schema = "user" },
        own = { path = "/users/own", schema = { type = "object", maxProperties = 1 } },
        other = { path = "/other" }, \(calls) } }
      """)
  }

  private func lull(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, words, folder: folder.path).wait()
  }

  private static let wrong = #"[{"id":1},{"id":"2"},{"id":"3"},{}]"#

  @Test func `SCH-20 warn takes the content and tells once what is wrong in the same way`() throws {
    try write(ValidationTests.wrong, validate: "\"warn\"")
    let ending = try lull("call", "./a.lua", "users", "-o", "json")
    #expect(ending.output == ValidationTests.wrong + "\n")
    #expect(
      ending.errors == """
        lull: warning: call 'users': /1/id: must be a whole number, got "2"
        lull: warning: call 'users': /3: must have 'id'

        """)
    #expect(ending.code == 0)
  }

  @Test func `SCH-21 fail fails the request with a list of what is wrong`() throws {
    try write(ValidationTests.wrong, validate: "\"fail\"")
    let ending = try lull("get", "./a.lua", "/users")
    #expect(
      ending.errors == """
        lull: Server response does not match its schema (GET https://a.example/v1/users → 200), \
        the schema of call 'users':
          /1/id: must be a whole number, got "2"
          /2/id: must be a whole number, got "3"
          /3: must have 'id'

        """, "\(ending)")
    #expect(ending.code == 1)
    let json = try lull("get", "./a.lua", "/users", "-o", "json", "-f", "x")
    let first = #"{"kind":"validation","errors":[{"pointer":"/1/id","keyword":"type""#
    #expect(json.output.hasPrefix(first), "\(json)")
    try folder.write(
      "s.lua",
      """
      local lull = require "lull"
      local entity, err = lull.api("./a.lua").calls.users{}:await()
      local cause = err.cause
      print(entity, cause.kind, cause.schema, #cause.errors, err.http_status)
      print(cause.errors[1].pointer, cause.errors[1].keyword, cause.errors[1].message)
      print(cause.message)
      local resource = lull.api("./a.lua").service:resource("/users")
      print(resource.latest_error.cause.kind, resource.latest_data)
      """)
    #expect(
      try lull("s.lua").output == """
        nil\tvalidation\tcall 'users'\t3\t200
        /1/id\ttype\tmust be a whole number, got "2"
        schema of call 'users': /1/id: must be a whole number, got "2"; and 2 more
        validation\tnil

        """)
  }

  @Test func `SCH-22 the call of which the most is fixed says what its answers are`() throws {
    try write(#"{"id":"x","b":2}"#, validate: "\"fail\"")
    let cases = [
      ("/users/7", "call 'user'"), ("/users/me", "call 'me'"), ("/users/own", "call 'own'"),
    ]
    for (path, owner) in cases {
      let ending = try lull("get", "./a.lua", path)
      #expect(ending.errors.contains("the schema of \(owner)"), "\(path): \(ending)")
    }
    for path in ["/users/7/x", "/other", "https://other.example/v1/users/7"] {
      let ending = try lull("get", "./a.lua", path, "--validate", "fail")
      #expect(ending.code == 0, "\(path): \(ending)")
      #expect(ending.errors.contains("nothing is validated"), "\(path): \(ending)")
    }
  }

  @Test(arguments: [
    (#"{"id":"x"}"#, 404, "application/json", true), (#"{"id":"x"}"#, 200, "text/plain", false),
    (#"{"title":"x"}"#, 404, "application/problem+json", false),
    ("[]", 200, "application/json", false),
    (#"{"id":"x"}"#, 500, "application/json", false), ("", 204, "application/json", false),
  ])
  func `SCH-22 the schema is that of the status, and errors stay errors`(
    body: String, status: Int, type: String, isTold: Bool
  ) throws {
    try write(body, validate: "\"fail\"", status: status, type: type)
    let ending = try lull("call", "./a.lua", "users")
    #expect(
      ending.errors.contains("warning: call 'users': the content: must have 'title'") == isTold)
    #expect(ending.code == (status == 404 ? 4 : status == 500 ? 5 : 0), "\(ending)")
  }

  @Test func `SCH-23 --validate counts in the place of the file's`() throws {
    try write(ValidationTests.wrong, validate: nil)
    #expect(try lull("call", "./a.lua", "users").errors == "")
    #expect(try lull("call", "./a.lua", "users", "--validate", "fail").code == 1)
    #expect(try lull("get", "./a.lua", "/users", "--validate=warn").errors.contains("/1/id"))
    #expect(try lull("get", "./a.lua", "/users", "-o", "raw", "--validate", "fail").code == 1)
    #expect(try lull("get", "./a.lua", "/users", "-O", "x", "--validate", "fail").code == 2)
    #expect(try lull("get", "./a.lua", "/users", "--validate", "often").code == 2)
  }

  @Test func `SCH-24 explain and check tell what answers are held against`() throws {
    try write("[]", validate: "\"warn\"")
    let users = try lull("explain", "./a.lua", "/users").output
    #expect(users.contains("warn: against the schemas of call 'users' (200, 4XX)"), "\(users)")
    let none = try lull("explain", "./a.lua", "/users/7/x").output
    #expect(none.contains("warn: nothing is validated, because no call of the API file matches"))
    #expect(!(try lull("explain", "./a.lua", "/other").output.contains("\n  validate ")))
    #expect(try lull("check", "a.lua").output == "")
    try write("[]", validate: "\"warn\"", calls: "late = { path = \"/users/late/x\" }")
    let late = try lull("check", "a.lua")
    let note = "call 'late': 'validate' is set, but there is no schema for its responses"
    #expect(late.output.contains(note), "\(late)")
    #expect(late.code == 0)
    try write("[]", validate: "\"often\"")
    #expect(
      try lull("check", "a.lua").output.contains(
        "'validate' must be \"warn\", \"fail\" or false, got 'often'"))
  }

  @Test func `SCH-25 schemas that cannot be used are told of, and fail what fails`() throws {
    try write("[]", validate: "\"fail\"", schemas: "none.json")
    let ending = try lull("call", "./a.lua", "users")
    #expect(
      ending.errors.contains(
        "the content: cannot be validated: ./none.json: No such file or directory"))
    #expect(ending.code == 1)
    #expect(try lull("check", "a.lua").output.contains("none.json: No such file or directory"))
    try folder.write(
      "b.json",
      ##"{"calls":{\##n"users":{"responses":{"200":{"$ref":"#/$defs/x"}}},\##n"zz":{}\##n}}"##)
    try write("[]", validate: "\"warn\"", schemas: "b.json")
    let warned = try lull("call", "./a.lua", "users")
    #expect(warned.output == "[]\n" && warned.code == 0, "\(warned)")
    #expect(warned.errors.contains("b.json: the reference '#/$defs/x' has no target"))
    let check = try lull("check", "a.lua").output
    #expect(check.contains("call 'users': b.json: the reference '#/$defs/x' has no target"))
    #expect(check.contains("has a schema for 'zz', which is not a call"))
    try write("[]", validate: nil, schemas: "../b.json")
    #expect(
      try lull("call", "./a.lua", "users").errors.contains(
        "'schemas' must be the name of a file in the same folder"))
  }

  @Test func `SCH-26 a test of a script fails by an answer that does not fit`() throws {
    try write(ValidationTests.wrong, validate: "\"fail\"")
    try folder.write(
      "users_test.lua",
      """
      local lull = require "lull"
      local test = require "lull.test"
      test("users", function(t)
        t.expect(lull.api("./a.lua").calls.users{}):to_succeed()
      end)
      """)
    let ending = try lull("test", "users_test.lua")
    #expect(ending.code == 1, "\(ending)")
    #expect(
      ending.output.contains("(200): schema of call 'users': /1/id: must be"), "\(ending)")
    try write("[]", validate: "\"fail\"")
    #expect(try lull("test", "users_test.lua").code == 0)
  }
}
