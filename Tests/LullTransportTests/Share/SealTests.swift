import LullCore
import Testing

@testable import LullTransport

/// What is kept where others can look.
@Suite(.timeLimit(.minutes(20))) struct SealTests {
  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.utf8)
    return stride(from: 0, to: digits.count, by: 2).map { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }

  @Test func `TOK-10 keys are those of RFC 5869`() {
    // Test case 1, as far as a key is long.
    let key = Seal.key(
      of: [UInt8](repeating: 0x0B, count: 22), salt: bytes("000102030405060708090a0b0c"),
      info: bytes("f0f1f2f3f4f5f6f7f8f9"))
    #expect(key == bytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"))
  }

  @Test func `TOK-10 the cipher is AES-256-GCM`() {
    // Test case 14 of the specification of GCM.
    let seal = Seal(key: [UInt8](repeating: 0, count: 32))
    let sealed = seal.seal(
      [UInt8](repeating: 0, count: 16), as: "", nonce: [UInt8](repeating: 0, count: 12))
    #expect(
      sealed == bytes("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"))
  }

  @Test(arguments: [0, 1, 15, 16, 17, 1000, 100_000])
  func `TOK-10 what is sealed is read again, and by nobody else`(count: Int) throws {
    let seal = try #require(Seal(secret: "secret".utf8, purpose: "tokens"))
    let text = (0..<count).map { _ in UInt8.random(in: 0...255) }
    let sealed = try #require(seal.seal(text, as: "a"))
    #expect(sealed.count == count + 29)
    #expect(seal.open(sealed, as: "a") == text)
    #expect(seal.open(sealed, as: "b") == nil)
    #expect(Seal(secret: "Secret".utf8, purpose: "tokens")?.open(sealed, as: "a") == nil)
    #expect(Seal(secret: "secret".utf8, purpose: "cache")?.open(sealed, as: "a") == nil)
    #expect(try #require(seal.seal(text, as: "a")) != sealed, "no two are alike")
  }

  @Test func `TOK-10 what is damaged anywhere is nothing`() throws {
    let seal = try #require(Seal(secret: "secret".utf8, purpose: "tokens"))
    let sealed = try #require(seal.seal(Array("a text".utf8), as: "a"))
    for index in sealed.indices {
      for bit in 0..<8 {
        var damaged = sealed
        damaged[index] ^= 1 << bit
        #expect(seal.open(damaged, as: "a") == nil)
      }
      #expect(seal.open(Array(sealed[..<index]), as: "a") == nil)
    }
    #expect(seal.open(sealed + [0], as: "a") == nil)
  }
}
