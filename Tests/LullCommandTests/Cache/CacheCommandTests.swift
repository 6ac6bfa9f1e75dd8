import Testing

@Suite("lull cache", .timeLimit(.minutes(20)))
struct CacheCommandTests {
  private let folder: TemporaryFolder
  private var environment: [String: String] { ["XDG_CACHE_HOME": folder.path] }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Has two resources loaded by a script.
  private func fill() throws {
    let ending = try lull(
      "-e",
      """
      local api = lull.service { base_url = "http://api.test", networking = function(http)
        return { headers = { ["Content-Type"] = "application/json", ETag = '"v1"' }, body = '{"a":[1]}' }
      end }
      api:configure { pipeline = { parsing = { cache = lull.cache.file() } } }
      assert(api("/users/1"):load():await())
      assert(api("/notes/1"):load():await())
      """, environment: environment)
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test(arguments: [[], ["info"]])
  func `info says where it is and what is in it`(words: [String]) throws {
    try fill()
    let ending = try Child(Binaries.lull, ["cache"] + words, environment: environment).wait()
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    #expect(ending.output.contains("path     \(folder.path)/lull/cache.db\n"))
    #expect(ending.output.contains("entries  2\n"))
    #expect(ending.output.contains("  api.test  2 in "))
  }

  @Test func `info of nothing says so, and makes nothing`() throws {
    let ending = try lull("cache", environment: environment)
    #expect(ending.output.contains("/lull/cache.db (does not exist yet)\n"))
    #expect(ending.output.contains("entries  0\n"))
    #expect(ending.code == 0)
    #expect(try Child("ls", [folder.path]).wait().output == "")
  }

  @Test func `show writes age, validators, headers and content of a URL`() throws {
    try fill()
    let ending = try lull("cache", "show", "http://api.test/users/1", environment: environment)
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    #expect(
      ending.output.hasPrefix("http://api.test/users/1\nstage     parsing, version 1\nage       "))
    #expect(ending.output.contains("etag      \"v1\"\n"))
    #expect(ending.output.contains("  content-type: application/json\n"))
    #expect(ending.output.hasSuffix("\n{\n  \"a\": [\n    1\n  ]\n}\n"))
  }

  @Test func `show of what is not there says so, with code 1`() throws {
    let ending = try lull("cache", "show", "http://api.test/none", environment: environment)
    #expect(ending.errors == "lull: http://api.test/none is not in the cache\n")
    #expect(ending.code == 1)
  }

  @Test(arguments: ["-1e30", "-9e999", "9e999", "1e300"])
  func `times that cannot be end nothing, those ahead of now are said to be`(time: String) throws {
    try fill()
    let path = folder.path + "/lull/cache.db"
    _ = try Child("sqlite3", [path, "UPDATE entry SET timestamp = \(time)"]).wait()
    let info = try lull("cache", "info", environment: environment)
    #expect(info.errors == "")
    #expect(info.code == 0)
    #expect(info.output.contains("entries  2\n"))
    #expect(!info.output.contains("oldest"))
    let show = try lull("cache", "show", "http://api.test/users/1", environment: environment)
    #expect(show.errors.contains("an entry has an impossible time"))
    #expect(show.code == 1)
  }

  @Test func `an entry that is dated ahead of now is said to be`() throws {
    try fill()
    let path = folder.path + "/lull/cache.db"
    _ = try Child("sqlite3", [path, "UPDATE entry SET timestamp = unixepoch() + 100000"]).wait()
    for words in [["show", "http://api.test/users/1"], ["info"]] {
      let ending = try Child(Binaries.lull, ["cache"] + words, environment: environment).wait()
      #expect(ending.output.contains(" s in the future, counts as stale\n"))
      #expect(ending.code == 0)
    }
  }

  @Test func `clear removes what begins so, or all`() throws {
    try fill()
    let some = try lull("cache", "clear", "http://api.test/users/", environment: environment)
    #expect(some.output == "1 entry removed\n")
    let rest = try lull("cache", "clear", environment: environment)
    #expect(rest.output == "1 entry removed\n")
    let none = try lull("cache", "clear", environment: environment)
    #expect(none.output == "0 entries removed\n")
  }

  @Test func `a file that is no cache is an error, and is left alone`() throws {
    let path = try folder.write("other.db", "", mode: 0o600)
    _ = try Child("sqlite3", [path, "CREATE TABLE precious (x)"]).wait()
    for words in [["info"], ["clear"], ["show", "http://a.test/"]] {
      let ending = try Child(Binaries.lull, ["cache"] + words + ["--path", path]).wait()
      #expect(ending.errors.hasSuffix("'\(path)' is a database of another program\n"))
      #expect(ending.code == 1)
    }
  }

  @Test(arguments: [
    (["cache", "nfo"], "there is no 'lull cache nfo' (did you mean 'info'?)"),
    (["cache", "show"], "'lull cache show' needs a URL"),
    (["cache", "info", "x"], "'lull cache info' takes no URL"),
    (["cache", "--pth", "x"], "unknown option '--pth'"),
  ])
  func `wrong usage`(words: [String], problem: String) throws {
    let ending = try Child(Binaries.lull, words).wait()
    #expect(ending.errors.contains(problem))
    #expect(ending.code == 2)
  }

  @Test func `the sandbox has no cache files`() throws {
    let ending = try lull("--sandbox", "-e", "lull.cache.file()")
    #expect(ending.errors.contains("lull.cache.file is not available in the sandbox"))
    #expect(ending.code == 1)
  }
}
