/// When a stream that has broken off is asked for once more.
///
/// After a break once the time has passed that the server wants to be left alone; after each failure to
/// get the stream back twice as long, up to a minute, by chance somewhat less so that not all ask at the
/// same time, but never sooner than the server wants. Times are seconds.
package struct Reconnection {
  /// Where the server says nothing.
  package static let defaultTime = 3.0
  /// How long the time may become where the server does not want more.
  private static let longest = 60.0

  /// As the server wants it.
  package var time: Double
  private var failures = 0

  package init(time: Double = Reconnection.defaultTime) {
    self.time = time
  }

  /// The stream is there.
  package mutating func succeeded() { failures = 0 }

  /// How long to wait, after a break or one more failure.
  ///
  /// - Parameter random: at least 0, below 1.
  package mutating func nextDelay(random: Double) -> Double {
    defer { failures += 1 }
    guard failures > 0 else { return time }
    let growing = max(time, 0.1) * Double(1 << min(failures, 20))
    return max(time, min(growing, Reconnection.longest) * (1 - random / 2))
  }

  /// Whether the failure of an exchange is a break, after which the server may have the stream again.
  ///
  /// - Parameter afterHead: whether the stream had begun: then also where the rest of it is malformed,
  ///   since so ends what is cut off.
  package static func mayPass(_ error: TransportError, afterHead: Bool) -> Bool {
    guard !error.isFinal else { return false }
    switch error.kind {
    case .network, .timeout, .dns, .connection, .truncatedBody: return true
    case .malformedResponse: return afterHead
    case .tls, .bodyTooLarge, .tooManyRedirects, .redirectRefused, .invalidURL, .cancelled,
      .scriptError, .secretOrigin, .secretUnavailable, .authFailed, .fileUnavailable, .fileChanged,
      .offline, .unconfirmed, .eventStream, .notAStream:
      return false
    }
  }
}
