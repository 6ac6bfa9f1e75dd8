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
    #expect(ending.errors == "lull: 1 answer of 1 compared: as declared\n")
    #expect(try drift("shop", "--fail-on", "note").code == 2)
    #expect(try drift("shop", "-o", "xml").code == 2)
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
    #expect(ending.errors.contains("tests/c.har is no HTTP Archive"))
    #expect(ending.errors.contains("2 answers of 2 compared: 1 breaking, 1 added\n"))
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
    #expect(others.code == 3 && others.errors.contains("there are 1 of other URLs"))
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
}
