import LullLibC
import Testing

/// What POST, PUT and PATCH do with what comes on standard input.
@Suite("Bodies from standard input", .timeLimit(.minutes(20)))
struct StandardInputTests {
  private let sample: SampleAPI
  private let folder: TemporaryFolder
  private var echo: String { sample.url + "/echo" }

  init() throws {
    sample = try SampleAPI()
    folder = try TemporaryFolder()
  }

  private static let seen = "{ x.method, x.body, x.headers['content-type'] or false }"

  @Test(arguments: ["post", "put", "patch"])
  func `a pipe is the body`(verb: String) throws {
    let ending = try lull(verb, echo, "-f", StandardInputTests.seen, input: #"{"a": 1}"#)
    #expect(
      ending.output == #"["\#(verb.uppercased())","{\"a\": 1}","application/json"]"# + "\n",
      "\(ending.errors)")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `a file is the body from where it has been read to`() throws {
    try folder.write("body.json", "first line\n[1,\n2]")
    let ending = try shell(
      "{ read -r line; echo \"$line\"; lull put '\(echo)' -f x.json; } < body.json",
      folder: folder.path)
    #expect(ending.output == "first line\n[1,2]\n", "\(ending.errors)")
  }

  @Test func `BODY-01 a file that need not be JSON is read while it is sent`() throws {
    try folder.write("note.bin", "a,b\n")
    for words in ["", "-d -"] {
      let type = "-H 'Content-Type: x/y'"
      let ending = try shell(
        "lull put '\(echo)' \(words) \(type) -f x.body < note.bin", folder: folder.path)
      #expect(ending.output == #""a,b\n""# + "\n", "\(ending.errors)")
      let dry = try shell(
        "lull put '\(echo)' \(words) \(type) --dry-run < note.bin", folder: folder.path)
      #expect(dry.output.hasSuffix("\n(file '/dev/stdin', 4 bytes)\n"), "\(dry)")
    }
  }

  @Test func `anything else may be the body if it is named`() throws {
    let csv = try lull(
      "post", echo, "-H", "Content-Type: text/csv", "-f", StandardInputTests.seen, input: "a,b\n")
    #expect(csv.output == #"["POST","a,b\n","text/csv"]"# + "\n", "\(csv.errors)")
    let form = try lull("post", echo, "--form", "-f", StandardInputTests.seen, input: "a=b&c=d")
    #expect(
      form.output
        == #"["POST","a=b&c=d","application/x-www-form-urlencoded; charset=utf-8"]"# + "\n",
      "\(form.errors)")
    let bytes = try shell(
      "printf '\\377\\000' | lull post '\(echo)' -H 'Content-Type: image/x' "
        + "-f 'x.headers[\"content-length\"]'")
    #expect(bytes.output == "\"2\"\n", "\(bytes.errors)")
  }

  /// A terminal is not read either: it is a device, as `/dev/null` is.
  @Test(arguments: ["</dev/null", "<&-", "< <(true)", "< empty", "</dev/zero", "</"])
  func `nothing is no body`(input: String) throws {
    try folder.write("empty", "")
    let ending = try shell(
      "lull post '\(echo)' -f \"\(StandardInputTests.seen)\" \(input); "
        + "lull post '\(echo)' a=1 -f x.json \(input)", folder: folder.path)
    #expect(
      ending.output == #"["POST","",false]"# + "\n" + #"{"a":"1"}"# + "\n", "\(ending.errors)")
    #expect(ending.errors == "")
  }

  @Test func `a terminal is not read`() throws {
    let child = try Child(
      Binaries.lull, ["post", echo, "-f", StandardInputTests.seen], terminal: true)
    let ending = try child.wait()
    #expect(ending.output.contains(#""POST""#) && !ending.output.contains("stdin"), "\(ending)")
    #expect(ending.code == 0)
  }

  @Test(arguments: ["| ", "< rows "])
  func `a body beside items is too much`(way: String) throws {
    try folder.write("rows", "1\n2\n")
    let line =
      way == "| "
      ? "echo 1 | lull post '\(echo)' b=2" : "lull post '\(echo)' b=2 < rows"
    let ending = try shell(line, folder: folder.path)
    #expect(ending.code == 2)
    #expect(ending.output == "")
    #expect(
      ending.errors
        == "lull: there is a body on standard input, and 'b=2' makes one too: give "
        + "--ignore-stdin to ignore standard input\n")
    let without = try shell(
      line.replacing("lull post", with: "lull post --ignore-stdin -f x.json"), folder: folder.path)
    #expect(without.output == #"{"b":"2"}"# + "\n", "\(without.errors)")
    // Only what makes a body: a query and headers do not.
    let other = try shell(
      line.replacing("b=2", with: "q==1 X-A:b -f x.body"), folder: folder.path)
    #expect(other.output == (way == "| " ? "\"1\\n\"\n" : "\"1\\n2\\n\"\n"), "\(other.errors)")
  }

  /// What it refuses it has not taken from whoever else reads.
  @Test func `loops keep their lines`() throws {
    try folder.write("names", "ann\nbob\ncid\n")
    let line = "while read -r name; do lull post '\(echo)' name=$name OPTION; done < names"
    let refused = try shell(line.replacing("OPTION", with: "-f x.json.name"), folder: folder.path)
    // Behind the last one nothing is left.
    #expect(refused.output == "\"cid\"\n", "\(refused.errors)")
    #expect(refused.errors.split(separator: "\n").count == 2)
    let ending = try shell(
      line.replacing("OPTION", with: "--ignore-stdin -f x.json.name"), folder: folder.path)
    #expect(ending.output == "\"ann\"\n\"bob\"\n\"cid\"\n", "\(ending.errors)")
  }

  @Test func `other methods read it only if they are told`() throws {
    for verb in ["get", "delete"] {
      let ending = try lull(verb, echo, "-f", "x.body", input: "[1]")
      #expect(ending.output == "\"\"\n", "\(ending.errors)")
      let told = try lull(verb, echo, "-d", "-", "-f", StandardInputTests.seen, input: "[1]")
      #expect(
        told.output == #"["\#(verb.uppercased())","[1]","application/json"]"# + "\n",
        "\(told.errors)")
      let empty = try lull(verb, echo, "-d", "-", "-f", "x.body", input: "")
      #expect(empty.output == "\"\"\n", "\(empty.errors)")
    }
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 5")]])
    defer { server.stop() }
    let head = try lull("head", server.url, "-d", "-", input: "[1]")
    #expect(head.code == 0, "\(head.errors)")
    let sent = server.requests.first?.lowercased() ?? ""
    #expect(sent.hasPrefix("head / ") && sent.contains("content-length: 3\r\n"), "\(sent)")
  }

  @Test func `ITM-09 what begins like JSON and is none is wrong usage`() throws {
    for input in ["[nope]", "\n[", "{} {}"] {
      let ending = try lull("post", echo, input: input)
      #expect(ending.code == 2)
      #expect(ending.output == "")
      #expect(ending.errors.hasPrefix("lull: standard input is not JSON: "), "\(ending.errors)")
      #expect(ending.errors.hasSuffix("; set its type with -H 'Content-Type: …'\n"))
    }
    let type = "x.headers['content-type'] or false"
    for (input, seen) in [
      ("nope", "text/plain; charset=utf-8"), ("a=b&c=d", "text/plain; charset=utf-8"),
      ("\\377", "application/octet-stream"), ("a\\0b", "application/octet-stream"),
      ("1", "application/json"),
    ] {
      let ending = try shell("printf '\(input)' | lull post '\(echo)' -f \"\(type)\"")
      #expect(ending.output == "\"\(seen)\"\n", "\(ending)")
    }
  }

  @Test func `is shown where nothing is sent`() throws {
    let dry = try lull("put", "http://a.invalid/x", "--dry-run", input: #"{"a":1}"#)
    #expect(
      dry.output
        == "PUT http://a.invalid/x\naccept: application/json, */*;q=0.5\n"
        + "content-type: application/json\n\n{\"a\":1}\n")
    let curl = try lull("put", "http://a.invalid/x", "--curl", input: #"{"a":1}"#)
    #expect(curl.output.contains(#"--data-raw '{"a":1}'"#), "\(curl.output)")
  }

  @Test func `silence is told once and without asking for it`() throws {
    let ending = try shell(
      "(sleep 2.5; printf '[1'; sleep 2.5; printf ']') | lull post '\(echo)' -f x.body")
    #expect(ending.output == "\"[1]\"\n")
    #expect(
      ending.errors
        == "lull: waiting for a request body on standard input; use --ignore-stdin to ignore standard input\n"
    )
    let asked = try shell("(sleep 2.5; echo '[1]') | lull post '\(echo)' -d - -f x.json")
    #expect(asked.output == "[1]\n")
    #expect(asked.errors == "")
  }

  @Test(arguments: [[], ["a=1"], ["-d", "-"]])
  func `waiting for it ends with a signal`(words: [String]) throws {
    let child = try Child(Binaries.lull, ["post", echo, "-v"] + words, input: .held)
    // Once it looks at what nobody writes.
    try child.wait(until: "it waits for standard input") {
      let wait = try? shell("cat /proc/\(child.process)/wchan /proc/\(child.process)/syscall")
      // poll(2), or ppoll(2)
      return wait?.output.contains("poll") == true || wait?.output.contains("\n7 ") == true
    }
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(ending.code == 130, "\(ending)")
    #expect(ending.output == "")
  }

  @Test func `large bodies arrive`() throws {
    let ending = try shell(
      "head -c 3000000 /dev/zero | tr '\\0' x | lull post '\(echo)' "
        + "-H 'Content-Type: text/plain' -f '#x.body'")
    #expect(ending.output == "3000000\n", "\(ending.errors)")
  }

  @Test func `calls take it where their parameters make no body`() throws {
    let file = try folder.write(
      "api.lua",
      """
      local api = require "lull".service{ base_url = "\(sample.url)" }
      return { service = api, calls = {
        add = { path = "/echo", method = "POST", params = { name = "string", dry = { "a" } } },
        form = { path = "/echo", method = "PUT", body = "form" },
        typed = { path = "/echo", method = "PATCH", headers = { ["Content-Type"] = "text/csv" } },
        look = { path = "/echo" },
      } }
      """)
    let filter = ["-f", StandardInputTests.seen]
    func call(_ words: [String], input: String) throws -> Child.Ending {
      try Child(Binaries.lull, ["call", file] + words, input: .text(input)).wait()
    }
    #expect(
      try call(["add"] + filter, input: "[1]").output
        == #"["POST","[1]","application/json"]"# + "\n")
    #expect(
      try call(["form"] + filter, input: "a=b").output
        == #"["PUT","a=b","application/x-www-form-urlencoded"]"# + "\n")
    #expect(
      try call(["typed"] + filter, input: "a,b").output == #"["PATCH","a,b","text/csv"]"# + "\n")
    #expect(try call(["look"] + filter, input: "[1]").output == #"["GET","",false]"# + "\n")
    let both = try call(["add", "--name", "x"], input: "[1]")
    #expect(both.code == 2)
    #expect(
      both.errors.hasPrefix(
        "lull: there is a body on standard input, and a parameter makes one too"))
    #expect(
      try call(["add", "--name", "x", "--ignore-stdin", "-f", "x.json"], input: "[1]").output
        == #"{"name":"x"}"# + "\n")
    let wrong = try call(["add"], input: "nope")
    #expect(wrong.code == 2)
    #expect(wrong.errors.hasPrefix("lull: standard input is not JSON"), "\(wrong.errors)")
  }
}
