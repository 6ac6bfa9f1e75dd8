import LullCore

extension CredentialMask {
  /// Returns `value`, with the mask of a secret replaced by the general mask of credentials if
  /// `name` denotes a credential. A stand-in for a token is kept, because it distinguishes tokens.
  static func plain(_ name: String, _ value: String) -> String {
    CredentialName.names(name) && isMasked(value) && !value.contains(standIn) ? mark : value
  }
}

/// A URL in the form in which recordings are compared: parsed, and without differences that have no
/// meaning. (RFC 3986, 6.2.2 and 6.2.3)
package struct RecordedURL: Sendable, Equatable {
  /// Scheme, host and port.
  package let origin: String
  let path: String
  /// The query parameters in order, with decoded escapes. A parameter without `=` has an empty
  /// string as its value.
  let parameters: [(name: String, value: String)]

  package init(_ text: String) {
    let bare = text.prefix { $0 != "#" }
    let query = bare.firstIndex(of: "?")
    let target = bare[..<(query ?? bare.endIndex)]
    let host = target.firstRange(of: "://")?.upperBound ?? target.startIndex
    let pathStart = target[host...].firstIndex(of: "/") ?? target.endIndex
    origin = RecordedURL.origin(target[..<pathStart])
    path = pathStart < target.endIndex ? RecordedURL.path(target[pathStart...]) : "/"
    guard let query else {
      parameters = []
      return
    }
    let pairs = bare[bare.index(after: query)...].split(separator: "&")
    parameters = pairs.map { pair in
      let name = pair.prefix { $0 != "=" }
      return (
        CredentialMask.decoded(name), CredentialMask.decoded(pair[name.endIndex...].dropFirst())
      )
    }
  }

  private static func origin(_ text: Substring) -> String {
    let text = text.lowercased()
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
    where text.hasPrefix(scheme) && text.hasSuffix(port) {
      return String(text.dropLast(port.count))
    }
    return text
  }

  /// Returns a path with the hexadecimal digits of its escapes in upper case.
  private static func path(_ text: Substring) -> String {
    guard text.contains("%") else { return String(text) }
    var bytes = Array(text.utf8)
    for index in bytes.indices.dropLast(2) where bytes[index] == UInt8(ascii: "%") {
      for digit in index + 1...index + 2 where (0x61...0x66).contains(bytes[digit]) {
        bytes[digit] -= 0x20
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the URL with the same mask for all secrets in parameters whose names denote
  /// credentials. Recordings of other programs contain only that mask.
  func withPlainMasks() -> RecordedURL {
    RecordedURL(
      origin, path,
      parameters.map { ($0.name, CredentialMask.plain($0.name, $0.value)) })
  }

  private init(_ origin: String, _ path: String, _ parameters: [(name: String, value: String)]) {
    self.origin = origin
    self.path = path
    self.parameters = parameters
  }

  /// The URL without its query. It identifies the resource that a request reads or writes.
  var resource: String { origin + path }

  package static func == (one: RecordedURL, other: RecordedURL) -> Bool {
    one.resource == other.resource
      && one.parameters.elementsEqual(other.parameters) { $0 == $1 }
  }
}
