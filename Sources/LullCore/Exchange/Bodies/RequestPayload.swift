/// What follows the head of a request.
public enum RequestPayload: Sendable, Equatable {
  /// In memory; empty: a body of no bytes.
  case bytes([UInt8])
  /// Read from files and the like while it is sent.
  case streamed(StreamedBody)

  /// What `Content-Length` will say.
  public var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .streamed(let body): body.byteCount
    }
  }

  /// What reads it while it is sent; nil for bytes.
  package func reader() throws(TransportError) -> BodyReader? {
    if case .streamed(let body) = self { try BodyReader(body) } else { nil }
  }
}
