extension IncomingResponse {
  /// Whether the request may go out once more now.
  var mayBeRepeated: Bool { isRepeatable || wasRefusedUnread }

  /// Why a transfer was stopped from here, or is not accepted although curl found it complete.
  enum Failure {
    case bodyTooLarge
    case headTooLarge
    /// What it begins with is no status line.
    case badStatusLine
    /// Content-Length headers that contradict each other. (RFC 9112, 6.3)
    case ambiguousLength
    /// A Content-Length that is no number, or too large a one.
    case badLength(String)
    /// A Content-Length or Transfer-Encoding that goes on in another line.
    case foldedFraming
    /// A transfer coding other than `chunked`, without having been asked for one. (RFC 9112, 7.4)
    case transferCoding(String)
    /// The codings of the body, or its bytes.
    case tooManyCodings
    case decoding(DecodingFailure)
    /// 101 without having been asked to speak another protocol. (RFC 9110, 15.2.2)
    case switchedProtocol
    /// The connection ended without an answer, and what was asked for may have been done.
    case notRepeated
    /// By whoever was to take it.
    case bodyRefused
    /// A body that often has no end, where somebody waits for the end.
    case eventStream
    /// The limit of memory has no room for more of the body.
    case noMemory
    /// The body ends with its TLS connection, which ended without close_notify. (RFC 9112, 9.8)
    case noCloseNotice
  }
}
