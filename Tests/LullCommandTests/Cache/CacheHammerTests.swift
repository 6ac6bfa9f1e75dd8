import LullLibC
import Testing

/// Two processes at one cache file, one of which is killed again and again. For LULL_HAMMER_SECONDS,
/// by default a few.
@Suite("A cache file under two processes", .timeLimit(.minutes(20)))
struct CacheHammerTests {
  @Test func `CACHE-28 CACHE-31 a process that is killed leaves no error and no wrong entity`()
    throws
  {
    let seconds = Binaries.environment("LULL_HAMMER_SECONDS").flatMap(Double.init) ?? 5
    let folder = try TemporaryFolder()
    let file = folder.path + "/cache.db"
    let survivor = try start(file, seconds: seconds, seed: 1)
    let end = Child.now + seconds
    var kills = 0
    repeat {
      let victim = try start(file, seconds: seconds + Child.patience, seed: 2 + kills)
      usleep(UInt32.random(in: 0...250_000))
      victim.send(SIGKILL)
      let ending = try victim.wait()
      #expect(ending.signal == SIGKILL)
      #expect(ending.errors == "")
      kills += 1
    } while Child.now < end || kills < 20
    let ending = try survivor.wait()
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    let count = ending.output.split(separator: "\n").last.flatMap { Int($0) } ?? 0
    #expect(count > 100)
    try inspect(file, folder)
  }

  /// Returns when it is at work on the file.
  private func start(_ file: String, seconds: Double, seed: Int) throws -> Child {
    let child = try Child(
      Binaries.lull,
      [Binaries.tests + "/LuaSpecs/cache_hammer.lua", file, "\(seconds)", "\(seed)"],
      patience: seconds + Child.patience)
    try child.waitForOutput("begun\n")
    return child
  }

  /// The file is whole, small, and has something in it; nothing was set aside.
  private func inspect(_ file: String, _ folder: TemporaryFolder) throws {
    let check = try Child("sqlite3", [file, "PRAGMA integrity_check"]).wait()
    #expect(check.output == "ok\n")
    let names = try Child("ls", [folder.path]).wait().output
    #expect(!names.contains("corrupt"))
    var status = stat()
    #expect(stat(file, &status) == 0)
    #expect(status.st_size <= 300_000)
    let info = try lull("cache", "info", "--path", file)
    #expect(info.code == 0)
    #expect(info.output.contains("  api.test  "))
  }
}
