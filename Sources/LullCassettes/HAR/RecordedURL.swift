import LullCore

/// A URL as recordings are compared by: taken apart, and not changed.
struct RecordedURL: Sendable, Equatable {
  /// Scheme, host and port.
  let origin: String
  let path: String
  /// Each with its escapes undone, in order; one without `=` has an empty value.
  let parameters: [(name: String, value: String)]

  init(_ text: String) {
    let bare = text.prefix { $0 != "#" }
    let query = bare.firstIndex(of: "?")
    let target = bare[..<(query ?? bare.endIndex)]
    let host = target.firstRange(of: "://")?.upperBound ?? target.startIndex
    let pathStart = target[host...].firstIndex(of: "/") ?? target.endIndex
    origin = String(target[..<pathStart])
    path = pathStart < target.endIndex ? String(target[pathStart...]) : "/"
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

  /// What is read and written at one place, whatever is asked of it.
  var resource: String { origin + path }

  static func == (one: RecordedURL, other: RecordedURL) -> Bool {
    one.resource == other.resource
      && one.parameters.elementsEqual(other.parameters) { $0 == $1 }
  }
}
