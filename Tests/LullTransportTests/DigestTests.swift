import LullCore
import Testing

@testable import LullTransport

@Suite(.timeLimit(.minutes(20)))
struct DigestTests {
  private func hmac(_ digest: Digest, _ key: [UInt8], _ text: String) -> String? {
    key.withUnsafeBufferPointer { key in
      Array(text.utf8).withUnsafeBufferPointer { digest.hmac(key: key, $0) }
    }.map { Hexadecimal.text($0) }
  }

  @Test(arguments: [
    (Digest.md5, "900150983cd24fb0d6963f7d28e17f72"),
    (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func `ENC-08 digests of abc`(digest: Digest, expected: String) {
    #expect(digest.of("abc").map { Hexadecimal.text($0) } == expected)
  }

  /// RFC 4231, 4.2 and 4.3, and keys of no bytes and of more than a block.
  @Test func `ENC-08 keyed digests`() {
    #expect(
      hmac(.sha256, Array(repeating: 0x0B, count: 20), "Hi There")
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      hmac(.sha256, Array("Jefe".utf8), "what do ya want for nothing?")
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hmac(.sha256, [], "") == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    #expect(
      hmac(
        .sha256, Array(repeating: 0xAA, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First")
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test func `ENC-08 each is as long as its name says`() {
    for (digest, size) in zip(Digest.allCases, [16, 20, 28, 32, 48, 64, 32]) {
      #expect(digest.of("")?.count == size)
      #expect(hmac(digest, [1], "")?.utf8.count == 2 * size)
    }
  }
}
