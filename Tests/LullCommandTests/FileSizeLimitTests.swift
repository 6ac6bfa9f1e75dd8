import Testing

/// `ulimit -f`: what passes it raises SIGXFSZ, which ends a process that does nothing about it.
@Suite("A limit of the size of files", .timeLimit(.minutes(20)))
struct FileSizeLimitTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// With 1,024 bytes at most for each file.
  private func limited(_ line: String) throws -> Child.Ending {
    try shell("ulimit -f 2 2>/dev/null; ulimit -f 1; \(line)", folder: folder.path)
  }

  @Test func `is an error of writing files`() throws {
    let ending = try limited(
      """
      lull -e '
        print(lull.write_file("new", ("x"):rep(9999)))
        print(lull.write_file("grown", ("x"):rep(9999), { append = true }))
        print(io.open("stock", "w"):setvbuf("no"))
        print(select(2, io.open("stock", "w"):write(("x"):rep(9999))))'; echo "code $?"; ls -A
      """)
    #expect(
      ending.output.contains("nil\tnew: File too large\nnil\tgrown: File too large\n"),
      "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("code 0\ngrown\nstock\n"), "\(ending.output)")
  }

  @Test func `is an error of downloads`() throws {
    let sample = try SampleAPI()
    try folder.write("data", "old")
    let ending = try limited(
      "lull get '\(sample.url)/bytes/9999' -O data; echo \"code $?\"; cat data; ls -A")
    #expect(ending.output == "code 1\nolddata\n", "\(ending.output)")
    #expect(ending.errors == "lull: cannot write data: File too large\n")
  }

  @Test(arguments: ["lull -e 'print((\"x\"):rep(9999))'", "lull get URL"])
  func `is an error of the output`(line: String) throws {
    let sample = try SampleAPI()
    let line = line.replacing("URL", with: sample.url + "/bytes/9999")
    let ending = try limited("\(line) >out; echo \"code $?\"")
    // What a script prints goes through the C library, which does not keep the reason.
    #expect(ending.errors.hasPrefix("lull: cannot write the output: "), "\(ending.errors)")
    #expect(ending.output == "code 1\n")
  }

  @Test func `is an error of the cache`() throws {
    let sample = try SampleAPI()
    try folder.write(
      "a.lua",
      """
      local lull = require "lull"
      local cache = lull.cache.file{ path = "cache.db" }
      return lull.service{ base_url = "\(sample.url)", expiration_time = 60,
        pipeline = { parsing = { cache = cache } } }
      """)
    let ending = try limited("lull get ./a.lua /users/1 -f x.id; echo \"code $?\"")
    #expect(ending.output == "1\ncode 0\n", "\(ending.output)\(ending.errors)")
    #expect(ending.errors.contains("warning"), "\(ending.errors)")
  }

  /// Programs that a script starts have the signal as it was.
  @Test func `is as it was for other programs`() throws {
    let ending = try limited(
      """
      lull -e 'print(os.execute("head -c 9999 /dev/zero >other"))'
      """)
    #expect(ending.output == "nil\tsignal\t25\n" || ending.output == "nil\texit\t153\n")
  }

  @Test(.enabled(if: Binaries.canLoadModule, "needs lua5.4 and lull.so"))
  func `is an error in a stock interpreter whose signals stay its own`() throws {
    try folder.write(
      "x.lua",
      """
      local lull = require "lull"
      print(lull.write_file("new", ("x"):rep(9999)))
      print(lull.write_file("grown", ("x"):rep(9999), { append = true }))
      for line in io.lines("/proc/self/status") do
        local mask = line:match("^S[ih][gd][BICP]%a+:%s*(%x+)")
        if mask then io.write(tonumber(mask, 16) >> 24 & 1, " ") end
      end
      io.flush()
      local file = io.open("stock", "w")
      file:setvbuf("no")
      file:write(("x"):rep(9999))
      print("still there")
      """)
    let ending = try limited(
      "LUA_CPATH='\(Binaries.modulePattern)' lua5.4 x.lua; echo \" code $?\"")
    #expect(
      ending.output
        == "nil\tnew: File too large\nnil\tgrown: File too large\n"
        + "0 0 0 0 0  code 153\n", "\(ending.errors)")
  }
}
