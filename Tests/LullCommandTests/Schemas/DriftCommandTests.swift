import LullCassettes
import Testing

@Suite("lull drift", .timeLimit(.minutes(20)))
struct DriftCommandTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/shop.lua", RecordedTraffic.api)
    try folder.write(
      "apis/shop.schemas.json",
      #"{"calls":{"item":{"responses":{"200":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}}}}}"#
    )
  }

  private func drift(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["drift"] + words, folder: path).wait()
  }

  private func write(_ name: String, _ answers: String...) throws {
    let entries = answers.map { RecordedTraffic.entry(RecordedTraffic.base + "/items/1", $0) }
    try folder.write(name, RecordedTraffic.file(entries))
  }

  @Test func `DRF-06 the exit code is 7 for what is in the tier of --fail-on or above`() throws {
    try write("breaking.har", #"{"id":"x"}"#, #"{"id":1}"#)
    try write("added.har", #"{"id":1,"new":1}"#)
    try write("same.har", #"{"id":1,"name":"x"}"#)
    for (file, tiers) in [
      ("breaking", ["breaking", "changed", "added"]), ("added", ["added"]), ("same", []),
    ] {
      #expect(try drift("shop", "--from-har", file + ".har").code == 0)
      for tier in ["breaking", "changed", "added"] {
        let ending = try drift("shop", "--from-har", file + ".har", "--fail-on", tier)
        #expect(ending.code == (tiers.contains(tier) ? 7 : 0))
      }
    }
    let ending = try drift("shop", "--from-har", "same.har")
    #expect(ending.output == "")
    #expect(ending.errors == "lull: 1 response of 1 compared: all as declared\n")
    #expect(try drift("shop", "--fail-on", "note").code == 2)
    #expect(try drift("shop", "-o", "xml").code == 2)
    #expect(try drift("shop", "--from-har", "").code == 2)
  }

  @Test func `DRF-07 recordings below tests and the cache are what is compared`() throws {
    try write("tests/deep/cassettes/a.har", #"{"id":"hunter2"}"#)
    try write("tests/b.har", #"{"id":1,"name":"x","hunter":"hunter2"}"#)
    try folder.write("tests/c.har", "{")
    try folder.write("tests/d.txt", "{")
    let ending = try drift("shop", "-o", "ndjson")
    #expect(
      ending.output == """
        {"tier":"breaking","change":"type","call":"item","status":"200","place":"/id","declared":"integer","found":"string","samples":1,"of":2}
        {"tier":"added","change":"added","call":"item","status":"200","place":"/hunter","declared":"","found":"string","samples":1,"of":2}

        """)
    #expect(ending.errors.contains("tests/c.har is not an HTTP Archive"))
    #expect(ending.errors.contains("2 responses of 2 compared: 1 breaking, 1 added\n"))
    // Something could not be compared.
    #expect(ending.code == 3)
    #expect(try drift("shop", "--fail-on", "breaking").code == 7)
    let table = try drift("shop").output
    #expect(table.contains("breaking") && table.contains("/id") && !table.contains("hunter2"))
  }

  @Test func `DRF-08 where nothing can be compared it says so`() throws {
    #expect(try drift("shop").code == 3)
    #expect(
      try drift("shop").errors.contains("neither in recordings below 'tests' nor in the cache"))
    try folder.write(
      "a.har", RecordedTraffic.file(RecordedTraffic.entry("https://other.test/items/1", "{}")))
    let others = try drift("shop", "--from-har", "a.har")
    #expect(others.code == 3 && others.errors.contains("other responses: 1 for other URLs"))
    #expect(try drift("nobody").code == 3)
    try folder.write("apis/plain.lua", RecordedTraffic.api)
    let plain = try drift("plain")
    #expect(plain.code == 3 && plain.errors.contains("lull types plain --from-har"))
  }

  @Test func `DRF-09 exchanges of no call, and answers without a schema, are notes`() throws {
    let base = RecordedTraffic.base
    try folder.write(
      "a.har",
      RecordedTraffic.file(
        RecordedTraffic.entry(base + "/items/1", #"{"id":1}"#),
        RecordedTraffic.entry(base + "/items/1", "{}", status: 500),
        RecordedTraffic.entry(base + "/items", "[]"),
        RecordedTraffic.entry(base + "/orders/4711?token=hunter2", "[]"),
        RecordedTraffic.entry(base + "/orders/4712", "[]", method: "PUT"),
        RecordedTraffic.entry(base + "/items/3", "<p>", type: "text/html")))
    let ending = try drift("shop", "--from-har", "a.har", "-o", "csv")
    #expect(
      ending.output == """
        tier,change,call,status,place,declared,found,samples,of
        breaking,type,item,200,,JSON,text/html,1,2
        note,undeclared call,,,GET /v2/orders/*,,,1,1
        note,undeclared call,,,PUT /v2/orders/*,,,1,1
        note,undeclared status,item,500,,,,1,1
        note,no schema,items,,,,,1,1

        """)
    #expect(try drift("shop", "--from-har", "a.har", "--fail-on", "added").code == 7)
  }

  @Test func `DRF-10 an environment is compared with what was asked in it`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service("https://api.shop.test/v2"),
        calls = { item = { path = "/items/{id}", params = { id = "integer" } } },
        environments = { one = { timeout = 5 }, two = { timeout = 6 }, far = { base_url = "https://far.test" } },
      }
      """)
    func entry(_ answer: String, in environment: String?, at base: String = RecordedTraffic.base)
      -> HAREntry
    {
      var entry = RecordedTraffic.entry(base + "/items/1", answer)
      entry.request.environment = environment
      return entry
    }
    try folder.write(
      "a.har",
      RecordedTraffic.file(
        entry(#"{"id":"x"}"#, in: "one"), entry(#"{"id":1,"name":"x"}"#, in: "two"),
        entry(#"{"id":2,"name":5}"#, in: nil),
        entry(#"{"id":null}"#, in: "far", at: "https://far.test")))
    func found(_ name: String, _ environment: [String: String] = [:]) throws -> [String] {
      let ending = try Child(
        Binaries.lull, ["drift", name, "--from-har", "a.har", "-o", "csv"],
        environment: environment, folder: path
      ).wait()
      return ending.output.split(separator: "\n").dropFirst().map(String.init)
    }
    let name = "breaking,type,item,200,/name,string,integer,1,"
    #expect(try found("shop@one") == ["breaking,type,item,200,/id,integer,string,1,2", name + "2"])
    #expect(try found("shop", ["LULL_ENV": "one"]) == found("shop@one"))
    #expect(try found("shop@two") == [name + "2"])
    #expect(try found("shop") == [name + "1"])
    #expect(try found("./apis/shop.lua@far") == ["breaking,type,item,200,/id,integer,null,1,1"])
    let none = try drift("shop@tow", "--from-har", "a.har")
    #expect(none.errors.contains("'shop' has no environment 'tow' (did you mean 'two'?)"))
    #expect(none.code == 3)
    try folder.write("b.har", RecordedTraffic.file(entry("{}", in: "one")))
    let other = try drift("shop@two", "--from-har", "b.har")
    #expect(
      other.errors.hasPrefix(
        "lull: there is no response from https://api.shop.test/v2/ in the environment 'two' to compare, not in the "
          + "given sources; other responses: 1 for other environments\n"), "\(other)")
    #expect(other.code == 3)
  }

  @Test func `DRF-10 where the cache may have answers of others it says so`() throws {
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service{ base_url = "https://api.shop.test/v2",
          networking = function()
            return { headers = { ["Content-Type"] = "application/json", ETag = "1" }, body = '{"id":"x"}' }
          end,
          pipeline = { parsing = { cache = lull.cache.file() } } },
        calls = { item = { path = "/items/{id}", params = { id = "integer" } } },
        environments = { one = { timeout = 5 }, far = { base_url = "https://far.test" } },
      }
      """)
    let variables = ["XDG_CACHE_HOME": path + "/cache"]
    func run(_ words: String...) throws -> Child.Ending {
      try Child(Binaries.lull, words, environment: variables, folder: path).wait()
    }
    for name in ["shop@one", "shop@far"] {
      #expect(try run("call", name, "item", "--id", "1").code == 0)
    }
    let one = try run("drift", "shop@one", "--from-cache")
    #expect(
      one.errors.hasPrefix(
        "lull: the file without an environment has the same URLs, and "
          + "the cache, unlike a recording, does not store the environment of a response\n"),
      "\(one)")
    #expect(one.output.contains("/id"))
    let far = try run("drift", "shop@far", "--from-cache")
    #expect(far.errors == "lull: 1 response of 1 compared: 1 breaking\n", "\(far)")
  }

  @Test func `DRF-06 several samples are counted, and each tier fails as it is told to`() throws {
    try folder.write(
      "apis/shop.schemas.json",
      #"{"calls":{"item":{"responses":{"200":{"type":"object","properties":{"id":{"type":"integer"},"state":{"enum":["new","old"]},"note":{"type":"string"}},"required":["id"]}}}}}"#
    )
    try write("changed.har", #"{"id":1,"state":"odd"}"#, #"{"id":2.5}"#, #"{"id":3}"#)
    try write("note.har", #"{"id":1}"#, #"{"id":2}"#, #"{"id":3}"#)
    for tier in ["breaking", "changed", "added"] {
      let changed = try drift("shop", "--from-har", "changed.har", "--fail-on", tier)
      #expect(changed.code == (tier == "breaking" ? 0 : 7), "\(changed)")
      #expect(try drift("shop", "--from-har", "note.har", "--fail-on", tier).code == 0)
    }
    let json = try drift("shop", "--from-har", "changed.har", "-o", "json")
    #expect(
      json.output.contains(
        #"{"tier":"changed","change":"word","call":"item","status":"200","place":"/state","#)
        && json.output.contains(#""samples":1,"of":3}"#), "\(json)")
    let note = try drift("shop", "--from-har", "note.har")
    #expect(note.output.contains("note") && note.output.contains("/state"), "\(note)")
    #expect(note.errors == "lull: 3 responses of 3 compared: all as declared\n")
  }

  @Test
  func `DRF-08 of answers of which none is compared it does not say that they are as declared`()
    throws
  {
    let base = RecordedTraffic.base
    try folder.write(
      "a.har",
      RecordedTraffic.file(
        RecordedTraffic.entry(base + "/nobody/1", "{}"),
        RecordedTraffic.entry(base + "/items", "[]")))
    let ending = try drift("shop", "--from-har", "a.har")
    #expect(!ending.errors.contains("as declared"), "\(ending)")
    #expect(ending.errors == "lull: 0 responses of 2 compared: none has content and a schema\n")
    #expect(ending.code == 3)
    #expect(ending.output.contains("undeclared call") && ending.output.contains("no schema"))
    let json = try drift("shop", "--from-har", "a.har", "-o", "ndjson", "--fail-on", "added")
    #expect(json.code == 3)
    #expect(json.output.split(separator: "\n").count == 2)
  }

  @Test func `DRF-11 what a call says of its answers itself counts before the file of schemas`()
    throws
  {
    try folder.write(
      "apis/own.lua",
      """
      local lull = require "lull"
      return { service = lull.service("\(RecordedTraffic.base)"), calls = {
        item = { path = "/items/{id}", params = { id = "integer" },
          schema = { type = "object", required = { "id" }, properties = { id = { ["$ref"] = "#/$defs/id" } },
            ["$defs"] = { id = { type = "integer" } } } } } }
      """)
    try write("fits.har", #"{"id":1}"#)
    try write("not.har", #"{"idd":1}"#, #"{"id":"x"}"#)
    let fits = try drift("own", "--from-har", "fits.har", "--fail-on", "added")
    #expect(
      fits.code == 0 && fits.errors == "lull: 1 response of 1 compared: all as declared\n",
      "\(fits)")
    let ending = try drift("own", "--from-har", "not.har", "--fail-on", "breaking", "-o", "ndjson")
    #expect(ending.code == 7, "\(ending)")
    for part in [
      #""change":"removed","call":"item","status":"2XX","place":"/id""#, #""change":"type""#,
    ] {
      #expect(ending.output.contains(part), "\(ending)")
    }
    // By its name in the file of schemas.
    try folder.write(
      "apis/own.lua",
      """
      local lull = require "lull"
      return { service = lull.service("\(RecordedTraffic.base)"), schemas = "own.schemas.json", calls = {
        item = { path = "/items/{id}", params = { id = "integer" }, schema = "thing" } } }
      """)
    try folder.write(
      "apis/own.schemas.json",
      #"{"calls":{"item":{"responses":{"200":{}}}},"$defs":{"thing":{"type":"object","required":["id"]}}}"#
    )
    #expect(try drift("own", "--from-har", "not.har", "--fail-on", "breaking").code == 7)
  }

  @Test func `DRF-12 references are followed however they lead, and told where they lead nowhere`()
    throws
  {
    try write("a.har", #"{"id":"x","x-a":"str"}"#)
    for (schemas, isFound) in [
      (
        ##"{"calls":{"item":{"responses":{"200":{"$ref":"#it"}}}},"$defs":{"i":{"$anchor":"it","type":"object","required":["price"]}}}"##,
        true
      ),
      (
        #"{"calls":{"item":{"responses":{"200":{"type":"object","patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false,"properties":{"id":{}}}}}}}"#,
        true
      ),
      (
        #"{"calls":{"item":{"responses":{"200":{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false,"properties":{"id":{}}}}}}}"#,
        false
      ),
    ] {
      try folder.write("apis/shop.schemas.json", schemas)
      let ending = try drift("shop", "--from-har", "a.har", "--fail-on", "breaking")
      #expect(ending.code == (isFound ? 7 : 0), "\(schemas) \(ending)")
    }
    // A plus stands for itself.
    try folder.write(
      "apis/shop.schemas.json",
      ##"{"calls":{"item":{"responses":{"200":{"$ref":"#/$defs/a+b"}}}},"$defs":{"a+b":{"required":["price"]}}}"##
    )
    let plus = try drift("shop", "--from-har", "a.har", "--fail-on", "breaking")
    #expect(plus.code == 7, "\(plus)")
    try folder.write(
      "apis/shop.schemas.json",
      ##"{"calls":{"item":{"responses":{"200":{"$ref":"#/$defs/missing"}}}}}"##)
    let lost = try drift("shop", "--from-har", "a.har")
    #expect(
      lost.code == 3 && lost.errors.contains("the reference '#/$defs/missing' has no target"),
      "\(lost)")
  }
}
