import LullCore
import Synchronization

/// The head of the latest answer, as it was received: names and reason phrase are the server's.
final class ReceivedHead: Sendable {
  private let latest = Mutex<[UInt8]>([])

  /// Notes heads, and passes everything on to another observer.
  func observer(besides other: WireObserver?) -> WireObserver {
    WireObserver(wantsBodies: other?.wantsBodies ?? false) { [self] event in
      if case .head(isSent: false, let bytes) = event, bytes.starts(with: "HTTP/".utf8) {
        latest.withLock { $0 = Array(bytes) }
      }
      other?.tell(event)
    }
  }

  /// Its lines, with credentials masked; nil if it is not the head of an answer with that status, such as
  /// one from a cache.
  func text(status: Int, _ style: OutputStyle) -> String? {
    let bytes = latest.withLock { $0 }
    let line = String(decoding: bytes.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count > 1, words[1] == "\(status)" else { return nil }
    return WireHead(bytes).text(style) + "\n"
  }
}
