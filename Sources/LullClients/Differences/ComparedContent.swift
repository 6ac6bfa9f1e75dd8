package import LullHost

/// What an answer holds, as far as it is compared with another.
package enum ComparedContent {
  /// - Parameter isExact: whether its numbers have the digits of the server.
  case json(JSONText, isExact: Bool)
  case text(String)
  /// What is neither, of which only this is known.
  case bytes(count: Int, digest: String)

  /// In words, as JSON.
  package var described: JSONText {
    switch self {
    case .json(let json, _): json
    case .text(let text): JSONText(text: text)
    case .bytes(let count, let digest):
      JSONText(text: "\(count) bytes, SHA-256 \(digest.prefix(16))")
    }
  }
}

extension JSONText {
  /// A string.
  package init(text: String) {
    var bytes: [UInt8] = []
    CallValue.string(text).write(to: &bytes)
    self.init(valid: bytes)
  }
}
