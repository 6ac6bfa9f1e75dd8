import LullCore
import Testing

/// The sum is that of the whole process: other tests move it by megabytes at most.
@Suite(.serialized, .timeLimit(.minutes(20))) struct HeldBytesTests {
  private static let size = 256 << 20

  private func isCounted() -> Bool { HeldBytes.total >= HeldBytesTests.size }

  @Test func `bytes count from their making to their end`() {
    var held: HeldBytes? = HeldBytes(1 << 30)
    #expect(HeldBytes.total >= 1 << 30)
    held?.grow(by: 1 << 30)
    #expect(HeldBytes.total >= 1 << 31)
    held = nil
    #expect(HeldBytes.total < 1 << 30)
  }

  @Test func `ENT-01 a body counts once for all copies of its entity, until the last is gone`() {
    let body = [UInt8](repeating: 120, count: HeldBytesTests.size)
    var entity: Entity? = Entity(content: .bytes(body), timestamp: 0)
    #expect(isCounted())
    var copies = Array(repeating: entity, count: 100)
    #expect(HeldBytes.total < 2 * HeldBytesTests.size)
    entity = nil
    #expect(isCounted())
    copies = []
    #expect(!isCounted() && copies.isEmpty)
  }

  @Test func `a body that becomes something else counts no more`() {
    let body = [UInt8](repeating: 120, count: HeldBytesTests.size)
    var entity = Entity(content: .bytes(body), timestamp: 0)
    #expect(isCounted())
    entity.content = .text("short")
    #expect(!isCounted())
  }

  @Test func `a document counts the memory it holds`() throws {
    let quote = [UInt8(ascii: "\"")]
    let text = quote + [UInt8](repeating: 120, count: HeldBytesTests.size) + quote
    let before = HeldBytes.total
    var document: JSONDocument? = try JSONDocument(parsing: text)
    let memory = document?.memory ?? 0
    #expect(memory > HeldBytesTests.size)
    #expect(HeldBytes.total - before > memory - (64 << 20))
    document = nil
    #expect(HeldBytes.total - before < 64 << 20)
  }
}
