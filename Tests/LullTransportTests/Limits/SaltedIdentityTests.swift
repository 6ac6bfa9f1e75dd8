import LullCore
import Testing

@testable import LullTransport

/// Whose limits are, as their file has it.
@Suite(.timeLimit(.minutes(20)))
struct SaltedIdentityTests {
  /// The identities in a file after one has asked as somebody, of each time it is opened.
  private func stored(_ identity: [UInt8], times: Int = 1) throws -> [[UInt8]] {
    let fixture = try #require(CacheFolderFixture())
    var found: [[UInt8]] = []
    for _ in 0..<times {
      let file = LimitFile(path: fixture.path) { Issue.record("\($0)") }
      let key = LimitKey(name: "a", identity: identity)
      var asker = LimitTables.Asker(key: key, requests: 1000, per: 1000)
      _ = file.change(waiting: true) { (tables) throws(SQLiteError) in
        var mine = asker
        let answer = try tables.ask(&mine, now: BootTime.now)
        guard case .granted = answer else { throw SQLiteError.damaged("nothing granted") }
        try tables.database.run("SELECT identity FROM tally") { (row) throws(SQLiteError) in
          found.append(row.bytes(0))
        }
      }
      asker.ticket = nil
    }
    withExtendedLifetime(fixture) {}
    return found
  }

  @Test func `LIM-52 a file has no digest that could be looked up, and no two files have the same`()
    throws
  {
    let digest = try #require(Digest.sha256.of("limit\nauthorization:Bearer hunter2\n"))
    let one = try stored(digest, times: 3)
    // One row all the time: who comes later finds what was counted.
    #expect(one.count == 3 && Set(one).count == 1)
    #expect(one[0].count == 32)
    #expect(one[0] != digest)
    #expect(try stored(digest)[0] != one[0])
    #expect(try stored([]) == [[]], "nobody in particular")
  }

  @Test func `LIM-52 it is made as RFC 8018 says, and is made once`() throws {
    // Test vectors for PBKDF2 with HMAC-SHA-256: RFC 7914, section 11, cut to 32 bytes.
    let made = Digest.sha256.stretched(Array("passwd".utf8), salt: Array("salt".utf8), rounds: 1)
    #expect(
      made.map { Hexadecimal.text($0) }
        == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc")
    let slow = Digest.sha256.stretched(
      Array("Password".utf8), salt: Array("NaCl".utf8), rounds: 80_000)
    #expect(
      slow.map { Hexadecimal.text($0) }
        == "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56")
    let identities = SaltedIdentities(salt: Array("salt".utf8))
    let digest = [UInt8](repeating: 7, count: 32)
    #expect(identities.salted(digest) == identities.salted(digest))
    #expect(identities.salted(digest) != SaltedIdentities(salt: [1]).salted(digest))
    #expect(identities.salted([]) == [])
  }
}
