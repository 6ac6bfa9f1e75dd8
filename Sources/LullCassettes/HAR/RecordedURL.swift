import LullCore

extension CredentialMask {
  /// The mask of a credential in place of that of the secret which it is; the stand-in of a token stays, which
  /// tells it from others.
  static func plain(_ name: String, _ value: String) -> String {
    CredentialName.names(name) && isMasked(value) && !value.contains(standIn) ? mark : value
  }
}

/// A URL as recordings are compared by: taken apart, without what makes no difference. (RFC 3986, 6.2.2 and 6.2.3)
package struct RecordedURL: Sendable, Equatable {
  /// Scheme, host and port.
  package let origin: String
  let path: String
  /// Each with its escapes undone, in order; one without `=` has an empty value.
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

  /// With the digits of its escapes in one case.
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

  /// With one mask for all secrets that have the name of a credential: what other programs have recorded says
  /// of them no more than that.
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

  /// What is read and written at one place, whatever is asked of it.
  var resource: String { origin + path }

  package static func == (one: RecordedURL, other: RecordedURL) -> Bool {
    one.resource == other.resource
      && one.parameters.elementsEqual(other.parameters) { $0 == $1 }
  }
}
