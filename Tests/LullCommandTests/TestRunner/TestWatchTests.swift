import LullLibC
import Testing

/// `lull test --watch`.
@Suite("lull test --watch", .timeLimit(.minutes(20)))
struct TestWatchTests {
  private let files: TestFiles

  init() throws {
    files = try TestFiles()
    try files.write("tests/a_test.lua", #"test("first", function(t) t.expect(1):to_be(1) end)"#)
    try files.write(
      "tests/b_test.lua", #"local m = require "m" test("second", function(t) print(m) end)"#)
    try files.folder.write("tests/m.lua", "return 1")
  }

  private func start(terminal: Bool, _ words: String...) throws -> Child {
    try Child(
      Binaries.lull, ["test", "--watch", "--jobs", "1"] + words,
      environment: ["TERM": "dumb"], folder: files.folder.path, terminal: terminal)
  }

  /// Waits until the text is there again behind what there was.
  private func wait(_ child: Child, _ text: String, _ count: inout Int) throws {
    try child.waitForOutput(text, after: count)
    count = child.output.count
  }

  private static let waiting = "── waiting for changes"

  @Test func `PRV-90 what has changed is run again, and a file of tests alone`() throws {
    let child = try start(terminal: false)
    var count = 0
    try wait(child, TestWatchTests.waiting, &count)
    #expect(child.outputText.contains("  ok       first\n"))
    #expect(child.outputText.contains("2 passed ("))
    #expect(!child.outputText.contains("Enter"))
    try files.write("tests/a_test.lua", #"test("changed", function() error("no") end)"#)
    try wait(child, TestWatchTests.waiting, &count)
    #expect(child.outputText.contains("── 'tests/a_test.lua' has changed ──"))
    #expect(child.outputText.contains("  FAILED   changed\n"), "\(child.outputText)")
    #expect(child.outputText.contains("0 passed, 1 failed ("))
    // A module, of anybody: all.
    try files.folder.write("tests/m.lua", "return 22")
    try wait(child, TestWatchTests.waiting, &count)
    #expect(child.outputText.contains("1 passed, 1 failed ("), "\(child.outputText)")
    try files.write("tests/more/c_test.lua", #"test("third", function() end)"#)
    try wait(child, "1 passed (", &count)
    child.send(SIGINT)
    #expect(try child.wait().code == 130)
  }

  @Test func `PRV-90 modules from elsewhere are watched once they are loaded`() throws {
    try files.folder.write("lib/m.lua", "return 1")
    try files.write(
      "tests/b_test.lua",
      #"""
      local lib = require "lib.m"
      test("second", function() print(lib, require "lib.late") end)
      """#)
    try files.folder.write("lib/late.lua", "return 1")
    let child = try start(terminal: false)
    var count = 0
    try wait(child, TestWatchTests.waiting, &count)
    for (name, runs) in [("m", 2), ("late", 3)] {
      try files.folder.write("lib/\(name).lua", "return 12")
      try wait(child, "── 'lib/\(name).lua' has changed ──", &count)
      try wait(child, TestWatchTests.waiting, &count)
      // Having been loaded is no change.
      #expect(child.outputText.ranges(of: "2 passed (").count == runs, "\(child.outputText)")
    }
  }

  @Test func `PRV-91 at a terminal Enter runs all again, and q ends with the last exit code`()
    throws
  {
    let child = try start(terminal: true)
    var count = 0
    try wait(child, "Enter runs all again, q ends", &count)
    child.type("x\n")
    try wait(child, "Enter runs all again, q ends", &count)
    #expect(child.outputText.contains("── all again ──"))
    try files.write("tests/a_test.lua", #"test("changed", function() error("no") end)"#)
    try wait(child, "Enter runs all again, q ends", &count)
    child.type("q")
    #expect(try child.wait().code == 1)
  }

  @Test func `PRV-92 what tests write themselves is no change, and reports are written each time`()
    throws
  {
    try files.write(
      "tests/a_test.lua", #"test("first", function(t) t.expect({ 1 }):to_match_snapshot() end)"#)
    let child = try start(terminal: true, "--html", "tests/out.html", "--update")
    var count = 0
    try wait(child, "Enter runs all again, q ends", &count)
    #expect(files.text("tests/snapshots/a_test.snap") != nil)
    unlink(files.folder.path + "/tests/out.html")
    child.type("\n")
    try wait(child, "Enter runs all again, q ends", &count)
    #expect(files.text("tests/out.html") != nil)
    #expect(child.outputText.ranges(of: "2 passed").count == 2, "\(child.outputText)")
    // What somebody else writes there is one.
    try files.folder.write("tests/snapshots/a_test.snap", "== first\n[\n  2\n]\n")
    try wait(child, "'tests/snapshots/a_test.snap' has changed", &count)
    try wait(child, "Enter runs all again, q ends", &count)
    #expect(child.outputText.contains("1 passed, 1 snapshot written"), "\(child.outputText)")
    child.send(SIGINT)
    #expect(try child.wait().code == 130)
  }
}
