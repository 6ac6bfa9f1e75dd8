/// The media types that a server accepts as the content of queries: the value of the response header
/// `Accept-Query`, a list of structured fields. (QUERY-72; RFC 10008, section 3; RFC 9651)
package struct AcceptQuery: Equatable {
  /// The media ranges in the order of the header, such as `application/sql;charset="UTF-8"`, with
  /// the types in lower case.
  package let ranges: [String]

  /// Reads the header. Returns nil if there is no such header, or if it is not a list of tokens and
  /// strings: an invalid structured field is ignored as a whole.
  package init?(_ headers: Headers) {
    let lines = headers.values("accept-query")
    guard !lines.isEmpty else { return nil }
    var reader = Reader(Array(lines.joined(separator: ",").utf8))
    guard let ranges = reader.list(), !ranges.isEmpty else { return nil }
    self.ranges = ranges
  }

  /// Reads a list of structured fields whose members are tokens or strings. (RFC 9651, section 4.2)
  private struct Reader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
      while let next, isSkipped(next) { place += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
      guard next == UInt8(ascii: byte) else { return false }
      place += 1
      return true
    }

    /// Returns the members of the list; nil if the field is not valid.
    mutating func list() -> [String]? {
      func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
      var members: [String] = []
      skip { $0 == 0x20 }
      while next != nil {
        guard let member = member() else { return nil }
        members.append(member)
        skip(isBlank)
        guard next != nil else { return members }
        guard take(",") else { return nil }
        skip(isBlank)
        // A comma at the end.
        guard next != nil else { return nil }
      }
      return members
    }

    private mutating func member() -> String? {
      guard let range = next == UInt8(ascii: "\"") ? string() : token() else { return nil }
      var text = range.lowercased()
      while take(";") {
        skip { $0 == 0x20 }
        guard let name = key() else { return nil }
        // A parameter without a value is true, which no media type can have.
        guard take("="), let value = next == UInt8(ascii: "\"") ? string() : token() else {
          return nil
        }
        let quoted = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        text += ";\(name)=\"\(quoted)\""
      }
      return text
    }

    private mutating func key() -> String? {
      let start = place
      guard let first = next, Reader.isLower(first) || first == UInt8(ascii: "*") else {
        return nil
      }
      skip {
        Reader.isLower($0) || Reader.isDigit($0) || "_-.*".utf8.contains($0)
      }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func token() -> String? {
      let start = place
      guard let first = next,
        Reader.isLower(first | 0x20) && first >= UInt8(ascii: "A") || first == UInt8(ascii: "*")
      else { return nil }
      skip {
        Reader.isLower($0 | 0x20) && $0 >= UInt8(ascii: "A") || Reader.isDigit($0)
          || "!#$%&'*+-.^_`|~:/".utf8.contains($0)
      }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func string() -> String? {
      place += 1
      var text: [UInt8] = []
      while let byte = next {
        place += 1
        switch byte {
        case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let escaped = next, "\"\\".utf8.contains(escaped) else { return nil }
          place += 1
          text.append(escaped)
        case 0x20..<0x7F: text.append(byte)
        default: return nil
        }
      }
      return nil
    }

    private static func isLower(_ byte: UInt8) -> Bool {
      byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
      byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
  }
}

extension RequestError {
  /// Whether the server has rejected the media type of a query.
  private var rejectsMediaType: Bool { httpStatusCode == 415 || httpStatusCode == 400 }

  /// The media types to use instead, if the server has rejected the media type of a query and names
  /// those that it accepts; nil otherwise. (QUERY-72; RFC 10008, section 2.1)
  ///
  /// A 400 counts only with `Accept-Query`, because its cause may be something else.
  package var acceptedQueries: String? {
    guard rejectsMediaType, let headers = entity?.headers else { return nil }
    if let accepted = AcceptQuery(headers) { return accepted.ranges.joined(separator: ", ") }
    guard httpStatusCode == 415, let types = headers["accept"], !types.isEmpty else { return nil }
    return types
  }

  /// The methods in the header `Allow` of the response; nil without this header.
  private var allowedMethods: [String]? {
    let lines = entity?.headers.values("allow") ?? []
    guard !lines.isEmpty else { return nil }
    return lines.joined(separator: ",").split(separator: ",").map { String($0.trimmingBlanks) }
      .filter { !$0.isEmpty }
  }

  /// What to do about a failed query; nil if nothing is known. (QUERY-07, QUERY-72)
  package var adviceForQuery: String? {
    if let status = httpStatusCode, RequestError.statusesOfUnknownMethods.contains(status) {
      guard let allowed = allowedMethods, !allowed.contains("POST") else {
        return RequestError.adviceForQueries
      }
      let methods = allowed.isEmpty ? "no method" : "only " + allowed.joined(separator: ", ")
      return "for this URL, the server allows \(LogText.part(methods))"
    }
    return acceptedQueries.map {
      "for queries of this URL, the server accepts the content type \(LogText.part($0))"
    }
  }
}
