package import LullCore
import LullHost

/// A path as a user writes it. It may contain a query, placeholders for parameters, and escapes.
/// Escapes are kept.
package struct CallPath {
  private var path: String
  private var query: String?
  private let written: String?
  /// The values of the placeholders as written, with their escapes.
  private var values: [(name: String, value: String)] = []

  package init(_ text: String) {
    let text = text.prefix { $0 != "#" }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    written = parts.count > 1 ? String(parts[1]) : nil
    query = written
  }

  /// Replaces the placeholder `{name}` with a text that is already escaped.
  mutating func fill(_ name: String, escaped value: String) {
    values.append((name, value))
  }

  /// Returns whether the query of the original path has a parameter with this name.
  func hasQuery(_ name: String) -> Bool {
    written?.split(separator: "&").contains { pair in
      PercentText.decoded(pair.prefix { $0 != "=" }) == name
    } ?? false
  }

  /// Appends text to the query without escaping it.
  mutating func add(query text: String) {
    query = query.map { $0.isEmpty ? text : $0 + "&" + text } ?? text
  }

  /// Returns the URL of the path below a base URL.
  fileprivate func url(under base: ResourceURL) -> String {
    var url = CallPath.restoringEscapes(base.appending(path: path).text)
    url = filled(url, open: "%7B", close: "%7D")
    guard let query else { return url }
    let filled = filled(query, open: "{", close: "}")
    return url + (url.contains("?") ? "&" : "?") + ResourceURL.escaping(typedQuery: filled)
  }

  /// Replaces placeholders with their values. Braces inside a value are not placeholders.
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

  /// The path as an absolute URL. nil if the path is not an absolute URL.
  fileprivate var absolute: String? {
    guard path.hasPrefix("http://") || path.hasPrefix("https://") else { return nil }
    return ResourceURL.escaping(
      typed: filled(path + (query.map { "?" + $0 } ?? ""), open: "{", close: "}"))
  }

  /// Replaces `%25` with `%` where the user wrote an escape.
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
  /// Returns the resource at a path below the base, or at an absolute URL.
  package func resource(_ path: CallPath) -> Resource {
    if let url = path.absolute { return resource(absoluteURL: url) }
    guard let baseURL else { return resource("") }
    return resource(absoluteURL: path.url(under: baseURL))
  }
}

/// A part of a path, with and without its escapes. A position in the decoded text can be mapped to
/// the position in the escaped text.
struct EscapedText {
  let decoded: String
  private let bytes: [UInt8]
  /// For each byte of the decoded text, the index in the escaped text where its escaped form
  /// begins. The last element is the end of the escaped text.
  private let starts: [Int]

  init(_ text: String) {
    bytes = Array(text.utf8)
    var starts: [Int] = []
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      starts.append(index)
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Hexadecimal.value(bytes[index + 1]),
        let low = Hexadecimal.value(bytes[index + 2])
      {
        plain.append(high << 4 | low)
        index += 3
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    starts.append(bytes.count)
    decoded = String(decoding: plain, as: UTF8.self)
    self.starts = starts
  }

  /// Returns the escaped form of a part of the decoded text.
  func escaped(_ part: Substring) -> String {
    let text = decoded.utf8
    let start = text.distance(from: text.startIndex, to: part.startIndex)
    let end = text.distance(from: text.startIndex, to: part.endIndex)
    // If the decoded bytes were not valid UTF-8, they were replaced, so positions can't be mapped.
    guard text.count == starts.count - 1 else { return String(part).replacing("%", with: "%25") }
    return String(decoding: bytes[starts[start]..<starts[end]], as: UTF8.self)
  }
}

/// A name and a value of a query or a form. The value is still escaped, so escaped separators do
/// not count as separators.
package struct EscapedPair {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// The decoded value.
  package var text: String { EscapedPair.decoded(value) }

  /// Decodes the escapes in a text. `+` is decoded to a space.
  package static func decoded(_ text: some StringProtocol) -> String {
    CredentialMask.decoded(text)
  }

  package static func all(in text: some StringProtocol) -> [EscapedPair] {
    text.split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return EscapedPair(
        name: decoded(name), value: String(pair[name.endIndex...].dropFirst()))
    }
  }
}

/// Decodes the percent-encoding in paths.
package enum PercentText {
  /// Decodes the escapes in a text. `+` remains a plus sign.
  package static func decoded(_ text: some StringProtocol) -> String {
    guard text.contains("%") else { return String(text) }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let first = rest.first, let high = Hexadecimal.value(first),
        let second = rest.dropFirst().first, let low = Hexadecimal.value(second)
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
