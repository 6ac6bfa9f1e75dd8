import Testing

/// Snapshots, and reports for other programs.
@Suite("lull test: snapshots and reports", .timeLimit(.minutes(20)))
struct TestSnapshotTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  private func writeMixed() throws {
    try files.write(
      "mixed_test.lua",
      """
      test("good # 1", function() end)
      test("bad <&> \\"2\\"", function(t) print("out\\27[31m\\0 ]]>") error("first\\n\\nlast") end)
      test.skip("later", function() end)
      """)
  }

  private static let body = """
      t.expect({ { id = 1, at = 5 }, { id = 2, at = 9, none = lull.null } }):to_match_snapshot{ mask = { "/*/at" } }
      print("hi")
      t.expect(t.output):to_match_snapshot{ name = "out" }
      t.expect("a\\nb"):to_match_snapshot()
    """

  @Test
  func
    `PRV-60 a snapshot is written the first time, as text beside the file, and compared from then on`()
    throws
  {
    let first = try files.prove(TestSnapshotTests.body)
    #expect(first.code == 0)
    #expect(first.output.contains("1 passed, 3 snapshots written"), "\(first.output)")
    #expect(
      files.text("snapshots/one_test.snap") == """
        # Snapshots of one_test.lua. Written by lull test; `lull test --update` rewrites them.

        == one
        [
          {
            "at": <masked>,
            "id": 1
          },
          {
            "at": <masked>,
            "id": 2,
            "none": null
          }
        ]

        == one (2)
        "a\\n"
        "b"

        == one: out
        "hi\\n"

        """)
    let again = try files.prove(
      TestSnapshotTests.body.replacing("at = 5", with: "at = 6"), environment: ["CI": "1"])
    #expect(again.code == 0, "\(again.output)")
    #expect(again.output.contains("1 passed ("))
  }

  @Test func `PRV-61 what differs is told line by line, and --update takes it`() throws {
    _ = try files.prove(TestSnapshotTests.body)
    let changed = TestSnapshotTests.body.replacing("id = 2", with: "id = 3")
    let ending = try files.prove(changed)
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        "not as in the snapshot 'one' (lull test --update accepts the new value):\n"))
    #expect(
      ending.output.contains("      -     \"id\": 2,\n      +     \"id\": 3,\n"), "\(ending.output)"
    )
    let updated = try files.prove(changed, "--update")
    #expect(updated.output.contains("1 passed, 1 snapshot written"), "\(updated.output)")
    #expect(try files.prove(changed).code == 0)
  }

  @Test func `PRV-62 where CI is set nothing is written`() throws {
    let ending = try files.prove(TestSnapshotTests.body, environment: ["CI": "true"])
    #expect(ending.code == 1)
    #expect(
      ending.output.contains("there is no snapshot 'one', and none is written where CI is set"))
    #expect(files.text("snapshots/one_test.snap") == nil)
    let update = try files.prove("", "--update", environment: ["CI": "true"])
    #expect(update.code == 2)
    #expect(
      update.errors.hasPrefix(
        "lull: --update writes snapshots, which is not allowed if CI is set\n"))
  }

  @Test func `PRV-63 what nobody asks for any more fails with --strict, and goes with --update`()
    throws
  {
    _ = try files.prove(TestSnapshotTests.body)
    let less = "  t.expect('a\\nb'):to_match_snapshot{ name = 'other' }"
    #expect(try files.prove(less).code == 0)
    let strict = try files.prove(less, "--strict")
    #expect(strict.code == 1)
    #expect(
      strict.output.contains(
        "lull: no test uses 'one', 'one (2)', 'one: out' in ./snapshots/one_test.snap: remove "
          + "unused snapshots with lull test --update\n"), "\(strict.output)")
    #expect(try files.prove(less, "--update").code == 0)
    #expect(files.text("snapshots/one_test.snap")?.contains("out") == false)
    // Where a test was left out, nobody knows.
    #expect(try files.prove(less, "--filter", "one", "--strict").code == 0)
  }

  @Test
  func
    `PRV-64 two of one name are refused, and a file that is not as it was written is no snapshot`()
    throws
  {
    let twice = try files.prove(
      "  for _ = 1, 2 do t.expect(1):to_match_snapshot{ name = 'a' } end")
    #expect(twice.code == 1)
    #expect(
      twice.output.contains("one_test.lua:3: two snapshots are called 'one: a'"), "\(twice.output)")
    try files.folder.write("snapshots/one_test.snap", "<<<<<<< ours\n")
    let torn = try files.prove("  t.expect(1):to_match_snapshot()")
    #expect(torn.code == 1)
    #expect(
      torn.output.contains(
        "lull: './snapshots/one_test.snap', line 1 is not in the format that lull test writes\n"))
    #expect(files.text("snapshots/one_test.snap") == "<<<<<<< ours\n")
  }

  @Test(arguments: [
    "", "# Snapshots of one_test.lua.\n", "== one\n", "== one\n1", "== one\n{\n  \"a\": 1\n",
  ])
  func `PRV-150 a file that is cut off is reported and left alone`(content: String) throws {
    try files.folder.write("snapshots/one_test.snap", content)
    let ending = try files.prove("  t.expect(1):to_match_snapshot()")
    #expect(ending.code == 1)
    #expect(
      ending.output.contains("one_test.snap' is cut off at its end: restore it, or delete it"))
    #expect(files.text("snapshots/one_test.snap") == content)
  }

  // MARK: Reports

  @Test func `PRV-65 a snapshot of what is no UTF-8 is compared byte by byte`() throws {
    for _ in 1...2 {
      let ending = try files.prove(#"t.expect({ a = "a\xffb" }):to_match_snapshot()"#)
      #expect(ending.code == 0, "\(ending.output)")
    }
    #expect(files.text("snapshots/one_test.snap")?.contains(#"a\xFFb"#) == true)
    #expect(try files.prove(#"t.expect({ a = "a\xfeb" }):to_match_snapshot()"#).code == 1)
  }

  @Test func `PRV-64 two tests of one file have no snapshot together`() throws {
    try files.write(
      "two_test.lua",
      """
      test("a", function(t) t.expect(1):to_match_snapshot{ name = "b" } end)
      test("a: b", function(t) t.expect(2):to_match_snapshot() end)
      """)
    let ending = try files.run("two_test.lua")
    #expect(ending.code == 1)
    #expect(
      ending.output.contains("another test of two_test.lua also has the snapshot 'a: b'"),
      "\(ending.output)")
  }

  @Test(.enabled(if: Binaries.onPath("prove") != nil))
  func `PRV-70 prove reads --tap`() throws {
    try writeMixed()
    try files.write("good_test.lua", #"test("good", function() end)"#)
    let ending = try files.run("mixed_test.lua", "--tap")
    #expect(ending.code == 1)
    #expect(
      ending.output.hasPrefix("TAP version 13\nok 1 - mixed_test.lua: good \\# 1\nnot ok 2 - "),
      "\(ending.output)")
    #expect(ending.output.contains("\nok 3 - mixed_test.lua: later # SKIP\n1..3\n"))
    let prove = try shell(
      "prove -v -e 'lull test --tap' good_test.lua mixed_test.lua 2>&1",
      folder: files.folder.path)
    #expect(prove.output.contains("Failed test:  2\n"), "\(prove.output)")
    #expect(!prove.output.contains("Parse errors"), "\(prove.output)")
    #expect(prove.output.contains("Files=2, Tests=4"), "\(prove.output)")
  }

  @Test(
    .enabled(
      if: hasPython("junitparser"), "the Debian package python3-junitparser is not installed"))
  func `PRV-71 junitparser reads --junit`() throws {
    try writeMixed()
    try files.write("wrong_test.lua", "(")
    let ending = try files.run("mixed_test.lua", "wrong_test.lua", "--junit", "out.xml")
    #expect(ending.code == 3)
    #expect(ending.output.contains("  ok       good # 1\n"))
    let program = """
      from junitparser import JUnitXml
      xml = JUnitXml.fromfile("out.xml")
      print(xml.tests, xml.failures, xml.skipped, xml.errors)
      for suite in xml:
          for case in suite:
              print(suite.name, case.classname, case.name, [type(r).__name__ for r in case.result])
              for r in case.result:
                  if r.text: print(r.message, "|", r.text.replace("\\n", "~"))
              if case.system_out: print(case.system_out)
      """
    try files.folder.write("read.py", program)
    let read = try shell("/usr/bin/python3 read.py", folder: files.folder.path)
    #expect(read.code == 0, "\(read.errors)")
    #expect(read.output.contains("4 2 1 0\n"), "\(read.output)")
    #expect(read.output.contains("mixed_test.lua mixed_test.lua bad <&> \"2\" ['Failure']\n"))
    #expect(read.output.contains("mixed_test.lua:3: first | lull: mixed_test.lua:3: first~~last~"))
    #expect(read.output.contains("]]>"))
    let unwritable = try files.run("mixed_test.lua", "--filter", "good", "--junit", "none/out.xml")
    #expect(unwritable.code == 1)
    #expect(unwritable.errors == "lull: cannot write 'none/out.xml': No such file or directory\n")
  }
}

private func hasPython(_ module: String) -> Bool {
  (try? Child("/usr/bin/python3", ["-c", "import \(module)"]).wait())?.code == 0
}
