import LullLibC
import Testing

/// What the command says where something is missing or cannot be used.
@Suite("Cautions", .timeLimit(.minutes(20)))
struct CautionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `CMD-151 a part that cannot be resumed is kept, and that is said`() throws {
    // Five bytes of ten, and then nothing.
    let server = try HeldServer([
      [Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello".utf8)]
    ])
    defer { server.stop() }
    let ending = try lull(
      "get", server.url + "/a.bin", "-O", "a.bin", "-C", "--timeout", "1", folder: folder.path)
    #expect(ending.code == 6, "\(ending)")
    #expect(ending.errors.contains("is kept, but -C cannot resume it: "), "\(ending)")
  }

  @Test func `CMD-156 lull limits says why a file cannot be read`() throws {
    let ending = try lull("limits", "--path", folder.path)
    #expect(ending.code != 0)
    #expect(ending.errors.contains(folder.path), "\(ending)")
  }

  @Test func `CMD-157 a home folder that does not exist is not made`() throws {
    let home = folder.path + "/none"
    let code = """
      local api = lull.service 'http://127.0.0.1:1'
      api:configure{ pipeline = { parsing = { cache = lull.cache.file() } } }
      api('/a'):load():await()
      """
    for words in [["-e", code], ["cache"], ["limits"]] {
      _ = try Child(
        Binaries.lull, words,
        environment: ["HOME": home, "XDG_CACHE_HOME": "", "XDG_STATE_HOME": ""]
      ).wait()
      #expect(access(home, F_OK) != 0, "\(words)")
    }
  }

  @Test func `PRV-151 a missing cassette names the command that makes one`() throws {
    let files = try TestFiles()
    let ending = try files.prove(
      "  t:service('https://x.test', { cassette = 'none' })('/a'):load():await()")
    #expect(ending.code == 1)
    #expect(ending.output.contains("make one with lull test --record missing"), "\(ending)")
  }

  @Test func `PRV-152 an expectation that does not exist names the one that was meant`() throws {
    let files = try TestFiles()
    let known = try files.prove("  t.expect(1):to_eq(1)")
    #expect(known.code == 1)
    #expect(known.output.contains("to_equal"), "\(known)")
    let unknown = try files.prove("  t.expect(1):to_fly()")
    #expect(unknown.output.contains("to_equal"), "\(unknown)")
    #expect(unknown.output.contains("to_raise"), "\(unknown)")
  }
}
