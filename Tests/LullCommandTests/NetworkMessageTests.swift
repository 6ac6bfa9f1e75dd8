import Testing

/// What somebody reads who wrote `assert(r:load():await())` and nothing else.
@Suite("Messages of bad network input", .timeLimit(.minutes(20)))
struct NetworkMessageTests {
  struct Case: CustomTestStringConvertible {
    let service: String
    var path = "/x"
    /// Adds parameters.
    var query = ""
    var before = ""
    /// Words the message must hold.
    let says: [String]
    var testDescription: String { service + " " + path + " " + before }
  }

  @Test(arguments: [
    Case(service: "'not a url'", says: ["not a url"]),
    Case(service: "''", says: ["URL"]),
    Case(service: "{}", says: ["URL"]),
    Case(service: "'example.com/v1'", says: ["example.com/v1"]),
    Case(service: "'http://'", says: ["URL"]),
    Case(service: "'ftp://example.invalid'", says: ["ftp"]),
    Case(service: "'http://[::1'", says: ["URL"]),
    Case(
      service: "'http://nowhere.invalid'",
      says: ["cannot resolve host 'nowhere.invalid'", "GET http://nowhere.invalid/x"]),
    Case(
      service: "'http://127.0.0.1:1'",
      says: ["cannot connect to 127.0.0.1:1", "refused", "GET http://127.0.0.1:1/x"]),
    Case(service: "'http://127.0.0.1:99999'", says: ["99999"]),
    Case(service: "(lull.demo():gsub('^http:', 'https:'))", says: ["secure connection"]),
    Case(service: "lull.demo()", path: "/status/404", says: ["404", "GET", "/status/404"]),
    Case(service: "lull.demo()", path: "/status/500", says: ["500", "GET", "/status/500"]),
    Case(
      service: "lull.demo()", path: "/malformed",
      says: ["Cannot parse server response", "/malformed"]),
    Case(service: "lull.demo()", path: "/redirect-loop", says: ["redirect"]),
    Case(
      service: "lull.demo()", path: "/slow", query: ":with_param('seconds', '20')",
      before: "api:configure{ timeout = 0.1 }",
      says: ["within 0.1 s", "timeout"]),
    Case(
      service: "lull.demo()", path: "/bytes/100000",
      before: "api:configure{ max_body_size = 1000 }",
      says: ["larger than the limit of 1000 bytes", "max_body_size"]),
    Case(
      service: "lull.demo()", path: "/redirect-to",
      query: ":with_param('url', 'ftp://a.invalid/')", says: ["ftp"]),
  ])
  func `says what is wrong`(_ bad: Case) throws {
    let ending = try lull(
      "-",
      input: """
        local lull = require 'lull'
        local api = lull.service(\(bad.service))
        \(bad.before)
        local r = api:resource('\(bad.path)')\(bad.query)
        assert(r:load():await())
        """)
    let message = ending.errors.prefix { $0 != "\n" }
    // The whole of standard error: a warning may come first. (SVC-05)
    for part in bad.says { #expect(ending.errors.contains(part), "'\(part)' is missing") }
    #expect(ending.errors.contains("lull: "))
    for noise in ["0x", "nil", "Optional", "userdata", "curl", "CURL", "error object"] {
      #expect(!ending.errors.contains(noise), "'\(noise)' tells nobody anything: \(message)")
    }
    #expect(ending.errors.contains("stdin:5: in main chunk"))
    #expect(ending.output == "")
    #expect(ending.code == 1)
  }
}
