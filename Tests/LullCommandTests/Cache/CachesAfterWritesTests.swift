import Testing

/// What the next process finds in a cache file after a write.
@Suite("Caches after writes", .timeLimit(.minutes(20)))
struct CachesAfterWritesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "a.lua",
      """
      local lull = require "lull"
      local function read(name)
        local file <close> = io.open(name)
        return file and file:read "a"
      end
      local function write(name, mode, text)
        local file <close> = assert(io.open(name, mode))
        file:write(text)
      end
      return lull.service{ base_url = "https://a.example", expiration_time = 600,
        networking = function(request)
          write("log", "a", request.method .. " " .. (request.headers["if-none-match"] or "-") .. "\\n")
          if request.method ~= "GET" then
            write("value", "w", "2")
            return { status = 204 }
          end
          local value = read "value" or "1"
          if request.headers["if-none-match"] == '"' .. value .. '"' then return { status = 304 } end
          return { json = tonumber(value), headers = { ETag = '"' .. value .. '"' } }
        end, pipeline = { parsing = { cache = lull.cache.file() } } }
      """)
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(
      Binaries.lull, words,
      environment: ["XDG_CACHE_HOME": folder.path, "XDG_STATE_HOME": folder.path],
      folder: folder.path
    ).wait()
  }

  private func log() throws -> [Substring] {
    try shell("cat log", folder: folder.path).output.split(separator: "\n")
  }

  @Test(arguments: ["patch", "delete"])
  func `AGE-07 after a write the next process asks, though expiration_time is not over`(
    verb: String
  ) throws {
    #expect(try run("get", "./a.lua", "/x").output == "1\n")
    #expect(try run("get", "./a.lua", "/x").output == "1\n")
    #expect(try log() == ["GET -"])
    #expect(try run(verb, "./a.lua", "/x").code == 0)
    #expect(try run("cache", "show", "https://a.example/x").output.contains("stale     "))
    #expect(try run("get", "./a.lua", "/x").output == "2\n")
    #expect(try run("get", "./a.lua", "/x").output == "2\n")
    #expect(try log() == ["GET -", "\(verb.uppercased()) -", "GET \"1\""])
    #expect(!(try run("cache", "show", "https://a.example/x").output.contains("stale     ")))
  }

  @Test func `DIFF-01 lull changed asks the server whatever a cache has, unless --offline`() throws
  {
    #expect(try run("changed", "./a.lua", "/x").errors.contains("first run"))
    #expect(try run("changed", "./a.lua", "/x").code == 7)
    try folder.write("value", "3")
    #expect(try run("changed", "./a.lua", "/x", "--offline").code == 7)
    let ending = try run("changed", "./a.lua", "/x")
    #expect(ending.code == 0)
    #expect(ending.output.contains("1") && ending.output.contains("3"), "\(ending.output)")
    #expect(try log() == ["GET -", "GET \"1\"", "GET \"1\""])
  }
}
