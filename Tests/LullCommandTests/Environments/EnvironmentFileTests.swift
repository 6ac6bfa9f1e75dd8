import LullLibC
import Testing

/// Files of variables that environments name.
@Suite("env_file", .timeLimit(.minutes(20)))
struct EnvironmentFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String..., environment: [String: String] = [:]) throws -> Child.Ending {
    try Child(
      Binaries.lull, words,
      environment: ["XDG_STATE_HOME": folder.path + "/state", "XDG_CONFIG_HOME": folder.path]
        .merging(environment) { $1 }, folder: folder.path
    ).wait()
  }

  @Test func `ENV-12 a file sees its variables while it runs and afterwards, and nobody else does`()
    throws
  {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write("apis/prod.env", "PLACE=prod\nTOKEN=secret-of-prod\n", mode: 0o600)
    try folder.write("apis/test.env", "PLACE=test\nTOKEN=secret-of-test\n", mode: 0o600)
    try folder.write(
      "apis/held.lua",
      "local lull = require 'lull'\nreturn { place = function() return lull.env('PLACE', 'none') end }"
    )
    try folder.write(
      "apis/x.lua",
      """
      local lull = require "lull"
      local held = require "held"
      local api = lull.service{ base_url = "http://127.0.0.1:\(server.port)",
        headers = { ["x-loaded"] = lull.env("PLACE", "nowhere") } }
      api:configure(function(settings)
        settings.headers["x-later"] = lull.env("PLACE", "nowhere")
        settings.headers["x-held"] = held.place()
        settings.headers["x-process"] = lull.env("OTHER", "none")
        settings.auth = lull.auth.bearer(lull.secret{ env = "TOKEN" })
      end)
      seen = io.popen("echo ${PLACE:-unset}"):read("l")
      return { service = api, description = seen, environments = {
        prod = { env_file = "prod.env" },
        test = { env_file = "test.env" },
      } }
      """)
    let variables = ["OTHER": "of the process", "TOKEN": "secret-of-process"]
    for word in ["x@prod", "x@test", "x"] {
      #expect(try run("get", word, "/", environment: variables).code == 0)
    }
    func values(_ request: EchoServer.Request) -> [String] {
      request.head.split(separator: "\r\n").filter {
        $0.hasPrefix("x-") || $0.lowercased().hasPrefix("authorization")
      }.map { String($0.drop { $0 != ":" }.dropFirst(2)) }.sorted()
    }
    #expect(
      server.requests.map(values) == [
        ["Bearer secret-of-prod", "none", "of the process", "prod", "prod"],
        ["Bearer secret-of-test", "none", "of the process", "test", "test"],
        ["Bearer secret-of-process", "none", "nowhere", "nowhere", "of the process"],
      ])
    try folder.write(
      "look.lua",
      """
      local lull = require "lull"
      package.path = "apis/?.lua;" .. package.path
      print(lull.api("x@prod").description, lull.env("PLACE", "none"))
      print(pcall(function() return lull.secret{ env = "" } end))
      """)
    let ending = try run("look.lua")
    #expect(ending.output.hasPrefix("unset\tnone\nfalse\tlook.lua:4:"), "\(ending)")
  }

  @Test func `ENV-12 quotes, comments and blanks are read, and nothing is expanded`() throws {
    try folder.write(
      "apis/prod.env",
      "# first\n\n A = plain text # comment\nexport B='single # $A \\n'\r\n"
        + "C=\"double # $A \\n\\\"\\$\" # end\nD=a#b\nE=  # none\nF = ${A}\t# x\n", mode: 0o600)
    try folder.write(
      "apis/x.lua",
      """
      local lull = require "lull"
      local texts = {}
      for _, name in ipairs{ "A", "B", "C", "D", "E", "F" } do
        texts[#texts + 1] = lull.json.encode(lull.env(name))
      end
      return { service = lull.service("https://a.example"), description = table.concat(texts, "|"),
        environments = { prod = { env_file = "prod.env" } } }
      """)
    let ending = try run("-e", "print(lull.api('x@prod').description)")
    #expect(
      ending.output
        == #""plain text"|"single # $A \\n"|"double # $A \n\"$"|"a#b"|""|"${A}""# + "\n",
      "\(ending)")
  }

  @Test func `ENV-13 a missing or damaged file is an error with its line`() throws {
    func problem(_ text: String?, mode: mode_t = 0o600, named name: String = "'prod.env'") throws
      -> String
    {
      unlink(folder.path + "/apis/prod.env")
      if let text { try folder.write("apis/prod.env", text, mode: mode) }
      try folder.write(
        "apis/x.lua",
        """
        local lull = require "lull"
        local name = "prod.env"
        return { service = lull.service("https://a.example"), environments = {
          prod = { env_file = \(name) } } }
        """)
      let ending = try run("get", "x@prod", "/", "--dry-run")
      #expect(ending.code != 0)
      #expect(!ending.errors.contains("s3cret"), "\(ending)")
      let line = ending.errors.split(separator: "\n").first.map(String.init) ?? ""
      #expect(line.hasPrefix("lull: "))
      return String(line.dropFirst(6))
    }
    try folder.write("apis/none", "")
    let start = "apis/x.lua:4: environment 'prod': "
    #expect(
      try problem(nil)
        == start + "the file apis/prod.env cannot be read (No such file or directory)")
    #expect(
      try problem("A=s3cret\ns3cret\n")
        == start + "apis/prod.env:2: expected NAME=text, found a line without '='")
    #expect(try problem("A=1\nA=2\n") == start + "apis/prod.env:2: 'A' is set twice")
    #expect(
      try problem("A='s3cret\n")
        == start + "apis/prod.env:1: a quote is not closed on its line")
    #expect(
      try problem("A=\"s3cret\" s3cret\n")
        == start + "apis/prod.env:1: there is text after the closing quote")
    #expect(
      try problem("1A=s3cret\n")
        == start + "apis/prod.env:1: expected a name of letters, digits and '_' before '='")
    #expect(
      try problem("A=s3cret\n", mode: 0o644).hasPrefix(
        start
          + "the file apis/prod.env can be read by other users, and is not used: run chmod 600 on it"
      ))
    #expect(
      try problem("A=s3cret\n", named: "name")
        == start + "'env_file' must be a literal string: it is read before the file is run")
    #expect(
      try problem("A=s3cret\n", named: "'../apis/prod.env'")
        == start
        + "'env_file' must be the name of a file in the same folder, got '../apis/prod.env'")
    #expect(try problem("A=s3cret\n", named: "5").hasPrefix(start + "'env_file' must be a string"))
  }

  @Test func `ENV-12 no other file is read, and none where a file is only looked at`() throws {
    try folder.write("apis/.env", "PLACE=sly\n", mode: 0o600)
    try folder.write(".env", "PLACE=sly\n", mode: 0o600)
    try folder.write("apis/prod.env", "PLACE=sly\n", mode: 0o600)
    try folder.write(
      "apis/x.lua",
      """
      local lull = require "lull"
      return { service = lull.service("https://a.example"), description = lull.env("PLACE", "none"),
        environments = { prod = {}, other = { env_file = "prod.env" } } }
      """)
    #expect(try run("-e", "print(lull.api('x@prod').description)").output == "none\n")
    #expect(try run("-e", "print(lull.api('x@other').description)").output == "sly\n")
    #expect(try run("call", "x@other", "--help").output.contains("none"))
  }
}
