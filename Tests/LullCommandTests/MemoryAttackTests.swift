import Testing

/// A few of the scripts of Tests/Attacks/memory, which the scripts of the project run all.
@Suite("Memory, measured from outside", .measuringRelease, .timeLimit(.minutes(20)))
struct MemoryAttackTests {
  @Test(arguments: [
    // References to one string that Swift would copy.
    ["stub_bodies", "with_params", "form", "header_lists"],
    // Bodies while they arrive, and while they are unpacked.
    ["bodies_at_once", "bodies_that_stand_still", "gzipped_answers_at_once", "upload"],
    // Documents and texts while they are made, in the pool and elsewhere.
    ["gzipped_numbers", "gzipped_lists", "gzipped_objects", "parsed_at_once", "decoded_lists"],
    // What goes back leaves holes.
    ["holes_in_small_blocks", "holes_in_large_blocks", "sort_of_copies"],
    // What can be collected is not needed.
    ["garbage", "large_garbage", "bodies_one_after_the_other", "documents_dropped"],
  ])
  func
    `MEM-01 MEM-02 what needs more than the limit ends, and never has more than half as much again`(
      scripts: [String]
    ) throws
  {
    let run = try Child(
      Binaries.tests + "/Attacks/memory/run", scripts,
      environment: ["LULL_PROGRAM": Binaries.released ?? "lull", "LULL_ATTACK_SECONDS": "0"]
    ).wait()
    #expect(run.output == "\(scripts.count) passed, 0 failed\n")
    #expect(run.errors == "")
    #expect(run.code == 0)
  }

  @Test func `MEM-03 what is refused is no error that a script could catch, and says where it was`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      "x.lua",
      """
      local lull = require "lull"
      local megabyte, fields = ("x"):rep(1 << 20), {}
      for index = 1, 3000 do fields["p" .. index] = megabyte end
      local resource = lull.service("http://a.invalid")("/a")
      pcall(function() return resource:with_params(fields) end)
      print("after")
      """)
    let ending = try releasedLull("--max-memory", "64M", "x.lua", folder: folder.path)
    #expect(ending.output == "")
    #expect(ending.errors.contains(LimitTests.memory(64)))
    #expect(ending.errors.contains("x.lua:5"))
    #expect(ending.code == 1)
  }

  @Test func `MEM-04 without a limit all of it may be made`() throws {
    let ending = try releasedLull(
      "-e",
      """
      local megabyte, answers = ('x'):rep(1 << 20), {}
      for index = 1, 200 do answers['GET /' .. index] = { body = megabyte } end
      print(lull.testing.stub(answers))
      """)
    #expect(ending.output.hasPrefix("function: "))
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }
}
