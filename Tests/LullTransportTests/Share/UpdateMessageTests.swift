import LullCore
import LullTestSupport
import Testing

@testable import LullTransport

@Suite(.timeLimit(.minutes(20)))
struct UpdateMessageTests {
  private let digest = "0123456789abcdef0123456789abcdef"

  @Test func `NEWS-20 a message says where, when and by whom, and no content`() throws {
    for (timestamp, isRefresh) in [(0, false), (1_763_948_712.345_678, true), (1e12 - 1, false)] {
      let message = try #require(
        UpdateMessage(
          sender: .max, isRefresh: isRefresh, timestamp: timestamp, digest: digest))
      #expect(UpdateMessage(Array(message.text.utf8)) == message)
      #expect(message.timestamp >= timestamp, "not to seem older than it is")
      #expect(message.timestamp < timestamp + 0.001)
      #expect(message.text.utf8.count <= UpdateMessage.mostBytes)
    }
    for timestamp in [-1, 1e12, .infinity, -.infinity, .nan] {
      #expect(
        UpdateMessage(sender: 1, isRefresh: false, timestamp: timestamp, digest: digest) == nil)
    }
  }

  @Test func `NEWS-20 what is no message is none`() {
    for text in [
      "", " ", "1", "1 a w 1", "2 a w 1 \(digest)", "1 a x 1 \(digest)", "1 g w 1 \(digest)",
      "1 a w x \(digest)", "1 a w -1 \(digest)", "1 a w 99999999999999999999 \(digest)",
      "1 a w \(Int64.max) \(digest)", "1 a w 1 0123", "1 a w 1 \(digest)g", "1 a w 1 \(digest) ",
      "1  a w 1 \(digest)", "1 a w 1 \(String(repeating: digest, count: 3))",
      "1 a w 1 \(digest)\n", "1 11112222333344445 w 1 \(digest)",
    ] {
      #expect(UpdateMessage(Array(text.utf8)) == nil, "\(text)")
    }
    var generator = SeededGenerator(seed: 1)
    let good = Array("1 a w 1763948712345678 \(digest)".utf8)
    #expect(UpdateMessage(good) != nil)
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      // Whatever it says, saying it again is the same.
      if let message = UpdateMessage(bytes) {
        #expect(UpdateMessage(Array(message.text.utf8)) == message)
      }
    }
  }
}
