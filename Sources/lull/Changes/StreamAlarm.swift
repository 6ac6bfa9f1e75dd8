import LullCore
import Synchronization

/// Notices that an answer is a stream of events, which ends some time or never, by its head.
final class StreamAlarm: Sendable {
  private let noticed = Atomic(false)

  var isRaised: Bool { noticed.load(ordering: .relaxed) }

  /// Sees the heads, and tells another one of everything.
  func observer(besides other: WireObserver?) -> WireObserver {
    WireObserver(wantsBodies: other?.wantsBodies ?? false) { [self] event in
      if case .head(isSent: false, let bytes) = event, StreamAlarm.isOfEvents(bytes) {
        noticed.store(true, ordering: .relaxed)
      }
      other?.tell(event)
    }
  }

  static func isOfEvents(_ head: [UInt8]) -> Bool {
    head.split(separator: 10).contains { line in
      let text = String(decoding: line, as: UTF8.self).lowercased()
      guard text.hasPrefix("content-type:") else { return false }
      return text.dropFirst(13).drop(while: \.isWhitespace).hasPrefix("text/event-stream")
    }
  }
}
