import FlyingSocks
import Synchronization

/// Numbered items of a stream, made while they are sent, with the ways in which a stream may end.
struct NumberedItems: AsyncBufferedSequence {
  typealias Element = UInt8

  /// How the body ends behind the last item.
  enum Ending {
    case end
    /// In the middle of an item, the connection closed.
    case cut
    /// Not at all: it says nothing of interest until nobody listens any more.
    case silence
  }

  let numbers: ClosedRange<Int>?
  let milliseconds: Int
  /// What comes first.
  let head: String
  let text: @Sendable (Int) -> String
  let ending: Ending
  let open: OpenStreams

  struct CutOff: Error {}

  func makeAsyncIterator() -> Iterator { Iterator(items: self, token: open.begin()) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    private let items: NumberedItems
    private let token: OpenStreams.Token
    private var next: Int
    private var hasBegun = false
    private var isCut = false

    init(items: NumberedItems, token: OpenStreams.Token) {
      self.items = items
      self.token = token
      next = items.numbers?.lowerBound ?? 1
    }

    mutating func next() async throws -> UInt8? { nil }

    mutating func nextBuffer(suggested: Int) async throws -> ArraySlice<UInt8>? {
      if !hasBegun {
        hasBegun = true
        if !items.head.isEmpty { return Array(items.head.utf8)[...] }
      }
      guard let last = items.numbers?.upperBound, next <= last else { return try await end() }
      if items.milliseconds > 0 { try await Task.sleep(for: .milliseconds(items.milliseconds)) }
      var text = items.text(next)
      next += 1
      while items.milliseconds == 0, next <= last, text.utf8.count < suggested {
        text += items.text(next)
        next += 1
      }
      return Array(text.utf8)[...]
    }

    private mutating func end() async throws -> ArraySlice<UInt8>? {
      switch items.ending {
      case .end: return nil
      case .cut:
        guard !isCut else { throw CutOff() }
        isCut = true
        return Array(items.text(next).utf8.dropLast(2))[...]
      case .silence:
        try await Task.sleep(for: .milliseconds(20))
        return [UInt8(ascii: ":"), 10]
      }
    }
  }
}

/// How many streams are being sent.
final class OpenStreams: Sendable {
  private let counter = Mutex(0)

  var count: Int { counter.withLock { $0 } }

  func begin() -> Token {
    counter.withLock { $0 += 1 }
    return Token(self)
  }

  /// Of one that is open as long as this is there.
  final class Token: Sendable {
    private let streams: OpenStreams

    init(_ streams: OpenStreams) { self.streams = streams }

    deinit { streams.counter.withLock { $0 -= 1 } }
  }
}
