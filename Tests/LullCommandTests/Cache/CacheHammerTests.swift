import Glibc
import Testing

/// Two processes at one cache file, one of which is killed again and again. For LULL_HAMMER_SECONDS,
/// by default a few.
@Suite("A cache file under two processes")
struct CacheHammerTests {
  private static let kills = 20

  @Test("CACHE-28, CACHE-31: a process that is killed leaves no error and no wrong entity")
  func killed() throws {
    let seconds = Binaries.environment("LULL_HAMMER_SECONDS").flatMap(Double.init) ?? 5
    let folder = try TemporaryFolder()
    let file = folder.path + "/cache.db"
    let survivor = try start(file, seconds: seconds, seed: 1)
    for kill in 0..<CacheHammerTests.kills {
      let victim = try start(file, seconds: 600, seed: 2 + kill)
      let share = seconds / Double(CacheHammerTests.kills)
      usleep(UInt32(Double.random(in: 0.2...1.0) * share * 1_000_000))
      victim.send(SIGKILL)
      let ending = try victim.wait()
      #expect(ending.signal == SIGKILL)
      #expect(ending.errors == "")
    }
    let ending = try survivor.wait()
    #expect(ending.errors == "")
    #expect(ending.code == 0)
    let count = Int(ending.output.filter(\.isNumber)) ?? 0
    #expect(count > 100)
    try inspect(file, folder)
  }

  private func start(_ file: String, seconds: Double, seed: Int) throws -> Child {
    try Child(
      Binaries.lull,
      [Binaries.tests + "/LuaSpecs/cache_hammer.lua", file, "\(seconds)", "\(seed)"])
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
