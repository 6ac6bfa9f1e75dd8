import LullArguments
import LullCore
import Testing

@testable import lull

@Suite("lull describe", .timeLimit(.minutes(20)))
struct DescribeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The document of a description, which has to be JSON.
  private func document(
    _ words: String..., environment: [String: String] = [:]
  ) throws -> JSONElement {
    let ending = try folder.runLull(
      ["describe"] + words + ["-o", "json"], environment: environment)
    #expect(ending.code == 0 && ending.errors == "", "\(words): \(ending.errors)")
    return try JSONDocument(parsing: Array(ending.output.utf8)).root
  }

  private func texts(_ list: JSONElement?) -> [String] {
    list.map { $0.elements.compactMap(\.string) } ?? []
  }

  // MARK: Commands

  @Test func `DSC-01 the overview has every command, topic and exit code`() throws {
    let root = try document()
    #expect(root["version"]?.int == 1 && root["kind"]?.string == "overview")
    #expect(root["lull"]?.string == LullCore.Lull.version)
    let commands = try #require(root["commands"]).elements
    #expect(commands.map { $0["name"]?.string } == Command.all.map(\.name))
    #expect(commands.map { $0["summary"]?.string } == Command.all.map(\.summary))
    #expect(commands.map { $0["group"]?.string } == Command.all.map(\.group.rawValue))
    let topics = try #require(root["topics"]).elements
    #expect(topics.map { $0["name"]?.string } == HelpTopic.names)
    let codes = try #require(root["exit_codes"]).elements
    #expect(codes.map { $0["code"]?.int } == [0, 1, 2, 3, 4, 5, 6, 7, 130, 143])
    let page = try lull("help", "exit-codes").output
    for code in codes {
      let meaning = try #require(code["meaning"]?.string)
      #expect(page.contains(meaning))
    }
  }

  @Test(arguments: Command.all.map(\.name))
  func `DSC-02 a command has what the option table declares`(name: String) throws {
    let spec = try #require(Command.named(name)).spec
    let root = try document(name)
    #expect(root["kind"]?.string == "command" && root["name"]?.string == name)
    #expect(root["usage"]?.string.map { spec.description != nil && $0.hasPrefix("lull") } == true)
    #expect(texts(root["examples"]) == spec.examples)
    let arguments = try #require(root["arguments"]).elements
    #expect(arguments.map { $0["name"]?.string } == spec.positionals.map(\.shown))
    let options = Array(try #require(root["options"]).elements)
    try #require(options.count == spec.options.count)
    for (shown, option) in zip(options, spec.options) {
      #expect(texts(shown["names"]) == option.names)
      #expect(shown["summary"]?.string == option.help, "\(option.names)")
      #expect(shown["details"]?.string == option.details, "\(option.names)")
      #expect(shown["category"]?.string == option.category ?? "Options")
      #expect(texts(shown["choices"]) == option.choices)
      #expect(shown["required"]?.bool == option.isRequired)
      #expect(shown["repeatable"]?.bool == option.isRepeated)
      #expect(shown["value"]?.string == (option.takesValue ? option.shownPlaceholder : nil))
      let conflicts = option.rules.count { $0.kind == .conflict }
      #expect(shown["conflicts"]?.elements.map { $0 }.count ?? 0 == conflicts, "\(option.names)")
    }
  }

  @Test func `DSC-02 conflicts, requirements, negations and defaults are declared ones`() throws {
    let root = try document("get")
    func option(_ name: String) throws -> JSONElement {
      try #require(root["options"]).elements.first { texts($0["names"]).contains(name) }
        ?? #require(nil, "\(name)")
    }
    func json(_ element: JSONElement?) -> String {
      var bytes: [UInt8] = []
      element?.encode(into: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(try option("--follow")["negation"]?.string == "--no-follow")
    #expect(try option("--follow")["default"]?.bool == true)
    #expect(try option("--no-pager")["negation"] == nil)
    #expect(
      try json(option("-O")["conflicts"])
        == #"[{"options":[{"name":"-o","other_than":["raw"]}],"hint":"for a format write -o … > FILE"}]"#
    )
    #expect(
      try json(option("--columns")["requires"])
        == #"[{"options":[{"name":"-o","values":["table","csv"]}]}]"#)
    #expect(
      try json(option("-A")["requires"])
        == #"[{"values":["basic","digest"],"options":[{"name":"-a"}]}]"#)
    #expect(try option("--retry")["expected"]?.string == "a whole number from 0 to 100")
    let limits = try document("limits")
    #expect(
      try #require(limits["options"]).elements.contains { $0["default"]?.string == "text" })
  }

  @Test func `DSC-02 exit codes of a command are its own, and those of all`() throws {
    let codes = try #require(try document("diff")["exit_codes"]).elements
    #expect(codes.map { $0["code"]?.int } == [0, 2, 3, 7, 130, 143])
    #expect(codes.first { $0["code"]?.int == 7 }?["meaning"]?.string == "differences")
    let help = try lull("help", "diff").output
    #expect(
      help.contains(
        "Exit codes: 0 no difference; 2 wrong usage; 3 a file cannot be read or run; 7\ndifferences."
      ), "\(help)")
    let all = try #require(try document("get")["exit_codes"]).elements
    #expect(all.map { $0 }.count == Exit.codes.count)
  }

  @Test func `DSC-03 it is text without JSON, and no other format`() throws {
    try folder.write("apis/shop.lua", ExportSample.shop)
    #expect(try lull("describe").output == lull("help", "all").output)
    #expect(try lull("describe", "diff").output == lull("help", "diff").output)
    let api = try folder.runLull(["describe", "shop"])
    #expect(api.output.hasPrefix("shop: The shop\n  Base URL      https://shop.example/v1\n"))
    #expect(api.output.contains("Credentials   bearer token (environment variable SHOP_TOKEN)"))
    #expect(api.output.contains("  order   GET /orders/{id}\n"))
    let call = try folder.runLull(["describe", "shop", "add"])
    #expect(call.output.hasPrefix("Usage: lull call shop add --item ITEM"), "\(call.output)")
    #expect(!call.output.contains("--max-redirects"))
    for format in ["table", "ndjson", "yaml", ""] {
      let ending = try folder.runLull(["describe", "shop", "-o", format])
      #expect(ending.code == 2 && ending.output == "", "\(format)")
      #expect(ending.errors.contains("text or json"), "\(ending.errors)")
    }
  }

  @Test(arguments: [
    (["gett"], "lull: there is no command or API 'gett' (did you mean 'get'?)\n"),
    (["shpo"], "lull: there is no command or API 'shpo' (did you mean 'shop'?)\n"),
    (
      ["zzzzzz"],
      "lull: there is no command or API 'zzzzzz': lull describe lists the commands, lull apis the APIs\n"
    ),
    (
      [""],
      "lull: there is no command or API '': lull describe lists the commands, lull apis the APIs\n"
    ),
    (["./gone.lua"], "lull: there is no API file './gone.lua'\n"),
    (["shop", "ordr"], "lull: 'shop' has no call 'ordr' (did you mean 'order'?)\n"),
    (["get", "x"], "lull: 'get' is a command without calls such as 'x': lull describe get\n"),
  ])
  func `DSC-04 what there is not is one line`(words: [String], line: String) throws {
    try folder.write("apis/shop.lua", ExportSample.shop)
    for end in [[], ["-o", "json"]] {
      let ending = try folder.runLull(["describe"] + words + end)
      #expect(ending.code == 2 && ending.output == "" && ending.errors == line, "\(ending)")
    }
  }

  @Test func `DSC-05 a command comes before an API`() throws {
    try folder.write("apis/get.lua", "return require('lull').service('https://a.example')")
    #expect(try document("get")["kind"]?.string == "command")
    #expect(try document("./apis/get.lua")["kind"]?.string == "api")
  }

  // MARK: APIs

  @Test func `DSC-06 an API has its calls, as the file declares them`() throws {
    try folder.write("apis/shop.lua", ExportSample.shop)
    try folder.write("apis/shop.schemas.json", ExportSample.schemas)
    let root = try document("shop")
    #expect(root["kind"]?.string == "api" && root["name"]?.string == "shop")
    #expect(root["description"]?.string == "The shop")
    #expect(root["base_url"]?.string == "https://shop.example/v1")
    let calls = Array(try #require(root["calls"]).elements)
    #expect(
      calls.map { $0["name"]?.string } == [
        "list", "order", "add", "change", "photo", "raw", "open", "away",
      ])
    func parameter(_ call: Int, _ name: String) -> JSONElement? {
      calls[call]["parameters"]?.elements.first { $0["name"]?.string == name }
    }
    #expect(calls[0]["pages"]?.bool == true && calls[0]["method"]?.string == "GET")
    #expect(texts(calls[0]["columns"]) == ["id"])
    #expect(texts(parameter(0, "states")?["choices"]) == ["open", "done"])
    #expect(parameter(0, "states")?["list"]?.bool == true)
    #expect(parameter(0, "q")?["default"]?.string == "a/b")
    #expect(parameter(0, "q")?["description"]?.string == "Words")
    #expect(parameter(0, "trace")?["place"]?.string == "header")
    #expect(parameter(0, "trace")?["sent_as"]?.string == "X-Trace")
    #expect(parameter(0, "trace")?["required"]?.bool == true)
    #expect(parameter(1, "id")?["type"]?.string == "integer")
    #expect(parameter(4, "photo")?["type"]?.string == "file")
    #expect(calls[2]["body"]?["form"]?.string == "json")
    #expect(calls[2]["body"]?["required"]?.bool == true && calls[1]["body"] == nil)
    #expect(calls[5]["body"]?["content_type"]?.string == "text/csv")
    #expect(calls[5]["body"]?["parameter"]?.string == "rows")
    #expect(calls[2]["example"]?.string == "lull call shop add --item ITEM")
    let access = calls[1]["credentials"]?[0]
    #expect(access?["type"]?.string == "bearer" && access?["secret"]?.string == "SHOP_TOKEN")
    #expect(access?["source"]?.string == "environment")
    #expect(parameter(6, "key")?["secret"]?.string == "SHOP_KEY")
    #expect(parameter(6, "key")?["default"] == nil)
    let one = try document("shop", "order")
    #expect(one["kind"]?.string == "call" && one["name"]?.string == "order")
    #expect(one["api"]?["base_url"]?.string == "https://shop.example/v1" && one["calls"] == nil)
  }

  @Test func `DSC-06 environments have their base URLs`() throws {
    try folder.write("apis/shop.lua", DescribeTests.environments)
    let root = try document("shop", environment: ["LULL_ENV": "prod"])
    let environments = Array(try #require(root["environments"]).elements)
    #expect(environments.map { $0["name"]?.string } == ["prod", "staging"])
    #expect(environments.last?["base_url"]?.string == "https://staging.shop.example")
    #expect(root["base_url"]?.string == "https://shop.example")
    let one = try document("shop@staging")
    #expect(one["base_url"]?.string == "https://staging.shop.example")
    #expect(one["name"]?.string == "shop@staging")
    let other = try folder.runLull(["describe", "shop@gone", "-o", "json"])
    #expect(other.code != 0 && other.output == "" && other.errors.contains("gone"))
  }

  static let environments = """
    local lull = require "lull"
    local api = lull.service{ base_url = os.getenv("SHOP_URL") or "https://shop.example" }
    return { service = api, description = os.getenv("SHOP_NOTE"), calls = { all = { path = "/a" } },
      environments = { staging = { base_url = "https://staging.shop.example" }, prod = {} } }
    """

  @Test func `DSC-07 a file runs in the sandbox, also if it is trusted`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return { service = lull.service(os.getenv("SHOP_URL") or "https://shop.example"),
        calls = { all = { path = "/a" } } }
      """)
    try folder.write(
      "apis/writer.lua",
      """
      io.open("pwned", "w"):close()
      return require("lull").service("https://a.example")
      """)
    #expect(try folder.runLull(["trust", "apis/shop.lua", "apis/writer.lua"]).code == 0)
    // Trusting it has run it.
    _ = try shell("rm -f pwned", folder: folder.path)
    for words in [
      ["describe", "writer"], ["describe", "writer", "-o", "json"], ["skill", "writer"],
    ] {
      let ending = try folder.runLull(words)
      #expect(ending.code == 1 && ending.output == "", "\(ending)")
      #expect(
        ending.errors.contains("the API cannot be described without running the file"), "\(ending)")
    }
    let root = try document("shop", environment: ["SHOP_URL": "https://other.example"])
    #expect(root["base_url"]?.string == "https://shop.example")
    let page = try folder.runLull(
      ["skill", "shop"], environment: ["SHOP_URL": "https://o.example"])
    #expect(page.output.contains("https://shop.example") && !page.output.contains("o.example/"))
    #expect(folder.text("pwned") == nil)
  }

  @Test func `DSC-08 no value of a secret is in a description or a page`() throws {
    try folder.write("key.txt", "word-in-file")
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://shop.example", headers = {
        ["X-Key"] = lull.secret{ file = "key.txt" }, ["X-Api-Key"] = "word-in-header" } }
      api:configure{ auth = lull.auth.basic("ann", lull.secret{ env = "SHOP_PASSWORD" }) }
      return { service = api, calls = {
        all = { path = "/a?api_key=word-in-path", params = {
          token = { type = "string", default = "word-in-default" },
          access_token = { type = { "word-in-choice" }, default = "word-in-choice" },
          key = { type = "string", default = lull.secret{ command = "echo word-in-command" } } } } } }
      """)
    let variables = ["SHOP_PASSWORD": "word-in-variable"]
    var outputs: [String] = []
    for words in [
      ["describe", "shop", "-o", "json"], ["describe", "shop", "all", "-o", "json"],
      ["describe", "shop"], ["describe", "shop", "all"], ["skill", "shop"],
    ] {
      let ending = try folder.runLull(words, environment: variables)
      #expect(ending.code == 0 && !ending.output.isEmpty, "\(ending.errors)")
      #expect(!(ending.output + ending.errors).contains("word-in"), "\(words): \(ending.output)")
      outputs.append(ending.output)
    }
    for name in ["SHOP_PASSWORD", "key.txt", "x-api-key", "api_key"] {
      #expect(outputs[0].contains(name), "\(name)")
      #expect(outputs[4].contains(name), "\(name)")
    }
    let access = try #require(try document("shop", "all")["credentials"]).elements
    #expect(access.contains { $0["source"]?.string == "file" })
  }

  @Test func `DSC-09 names and texts may hold anything`() throws {
    try folder.write(
      "apis/odd.lua",
      """
      return { service = require("lull").service("https://a.example"),
        description = "a\\27[31m\\u{9b}\\u{202e}b\\n## c", calls = {
          all = { path = "/x", description = "d\\0e\\r\\nf",
            params = { q = { type = { "\\7", "`" }, description = "g\\u{2028}h" } } } } }
      """)
    let root = try document("odd")
    #expect(root["description"]?.string == "a\u{1B}[31m\u{9B}\u{202E}b\n## c")
    let call = try #require(root["calls"]?[0])
    #expect(call["description"]?.string == "d\0e\r\nf")
    for words in [["describe", "odd"], ["describe", "odd", "all"], ["skill", "odd"]] {
      let ending = try folder.runLull(words)
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(!ending.output.unicodeScalars.contains { $0.value < 0x0A || $0 == "\u{1B}" })
      #expect(!ending.output.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" })
    }
    let bytes = try shell("lull describe $'\\xff' -o json; echo $?", folder: folder.path)
    #expect(bytes.output == "2\n" && bytes.errors.contains("not valid UTF-8"))
    try folder.write(
      "apis/bytes.lua",
      """
      return { service = require("lull").service("https://a.example"), description = "\\xff" }
      """)
    try folder.write(
      "apis/name.lua",
      """
      return { service = require("lull").service("https://a.example"),
        calls = { ["x\\27y\\n"] = { path = "/x" } } }
      """)
    for (name, reason) in [("bytes", "UTF-8"), ("name", "names must be printable")] {
      for words in [["describe", name, "-o", "json"], ["skill", name]] {
        let ending = try folder.runLull(words)
        #expect(ending.code == 1 && ending.output == "", "\(ending)")
        #expect(ending.errors.contains(reason), "\(ending)")
      }
    }
  }

  @Test func `DSC-06 a file without calls, a module and a broken file are told apart`() throws {
    try folder.write("apis/bare.lua", "return require('lull').service('https://a.example')")
    try folder.write("apis/tools.lua", "return { join = function() end }")
    try folder.write("apis/broken.lua", "return {")
    #expect(try document("bare")["calls"]?[0] == nil)
    for (name, code) in [("tools", Int32(1)), ("broken", 3)] {
      for words in [["describe", name, "-o", "json"], ["skill", name]] {
        let ending = try folder.runLull(words)
        #expect(ending.code == code && ending.output == "" && !ending.errors.isEmpty, "\(ending)")
      }
    }
  }
}
