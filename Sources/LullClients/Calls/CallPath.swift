package import LullCore
import LullHost

/// A path as people write it: with escapes that stay, a query behind it, and places for parameters.
package struct CallPath {
  private var path: String
  private var query: String?
  private let written: String?
  /// As they are written, with their escapes.
  private var values: [(name: String, value: String)] = []

  package init(_ text: String) {
    let text = text.prefix { $0 != "#" }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    written = parts.count > 1 ? String(parts[1]) : nil
    query = written
  }

  /// Puts a text where `{name}` stands, as it is.
  mutating func fill(_ name: String, escaped value: String) {
    values.append((name, value))
  }

  /// Whether the query that it was written with has a parameter of that name.
  func hasQuery(_ name: String) -> Bool {
    written?.split(separator: "&").contains { pair in
      PercentText.decoded(pair.prefix { $0 != "=" }) == name
    } ?? false
  }

  /// Adds to its query what is written as it is to be.
  mutating func add(query text: String) {
    query = query.map { $0.isEmpty ? text : $0 + "&" + text } ?? text
  }

  /// The URL under a base.
  fileprivate func url(under base: ResourceURL) -> String {
    var url = CallPath.restoringEscapes(base.appending(path: path).text)
    url = filled(url, open: "%7B", close: "%7D")
    guard let query else { return url }
    let filled = filled(query, open: "{", close: "}")
    return url + (url.contains("?") ? "&" : "?") + ResourceURL.escaping(typedQuery: filled)
  }

  /// Values in the place of their names; what is in a value is no place.
  private func filled(_ text: String, open: String, close: String) -> String {
    guard !values.isEmpty else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: open) {
      let inside = rest[start.upperBound...]
      let end = inside.firstRange(of: close)
      let name = inside[..<(end?.lowerBound ?? inside.startIndex)]
      guard let end,
        let value = values.first(where: {
          ParameterEscapes.strict.escaped($0.name) == name || $0.name == name
        })?.value
      else {
        result += rest[..<start.upperBound]
        rest = inside
        continue
      }
      result += rest[..<start.lowerBound] + value
      rest = inside[end.upperBound...]
    }
    return result + rest
  }

  var isAbsolute: Bool { absolute != nil }

  /// The text if it is a URL of its own.
  fileprivate var absolute: String? {
    guard path.hasPrefix("http://") || path.hasPrefix("https://") else { return nil }
    return ResourceURL.escaping(
      typed: filled(path + (query.map { "?" + $0 } ?? ""), open: "{", close: "}"))
  }

  /// `%25` back to `%` where an escape was written.
  private static func restoringEscapes(_ url: String) -> String {
    guard url.contains("%25") else { return url }
    let bytes = Array(url.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      result.append(bytes[index])
      let isHex = { (byte: UInt8) in Character(Unicode.Scalar(byte)).isHexDigit }
      if bytes[index...].starts(with: "%25".utf8), index + 4 < bytes.count,
        isHex(bytes[index + 3]), isHex(bytes[index + 4])
      {
        index += 3
      } else {
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension Service {
  /// The resource at a path under the base, or at a URL.
  package func resource(_ path: CallPath) -> Resource {
    if let url = path.absolute { return resource(absoluteURL: url) }
    guard let baseURL else { return resource("") }
    return resource(absoluteURL: path.url(under: baseURL))
  }
}
