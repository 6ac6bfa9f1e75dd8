/// Reading Content-Type values: `type/subtype; name=value; …`. (ENT-03 to ENT-06)
public struct ContentType: Sendable, Hashable {
  /// Verbatim, parameters included.
  public let text: String

  /// Any text; what it lacks is nil when it is asked for.
  public init(_ text: String) {
    self.text = text
  }

  /// Type and subtype as written, without parameters. (TRF-27)
  public var mediaType: String {
    var text = text
    return text.withUTF8 { String(escaping: ContentType.mediaType(of: $0)) }
  }

  /// The value of the first charset parameter, without quotes; nil if there is none.
  public var charset: String? {
    var text = text
    return text.withUTF8 { bytes in
      ContentType.charset(in: bytes).map { String(escaping: $0) }
    }
  }

  /// The same for a value that is a string only.
  package static func charset(of contentType: String) -> String? {
    ContentType(contentType).charset
  }

  /// What precedes the first semicolon, without white space around it.
  static func mediaType(
    of bytes: UnsafeBufferPointer<UInt8>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    trimmed(bytes.prefix { $0 != UInt8(ascii: ";") })
  }

  private static func trimmed(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    var bytes = bytes
    while let first = bytes.first, first == 32 || first == 9 { bytes = bytes.dropFirst() }
    while let last = bytes.last, last == 32 || last == 9 { bytes = bytes.dropLast() }
    return bytes
  }

  static func charset(in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var index = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
    while index < bytes.count {
      let start = index + 1
      // A semicolon inside quotes does not end the parameter, nor does an escaped quote.
      var isQuoted = false
      index = start
      while index < bytes.count, isQuoted || bytes[index] != UInt8(ascii: ";") {
        if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
        if isQuoted, bytes[index] == UInt8(ascii: "\\") { index += 1 }
        index += 1
      }
      index = min(index, bytes.count)
      let parameter = bytes[start..<index]
      guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = trimmed(parameter[..<equals])
      guard name.lazy.map({ $0 | 0x20 }).elementsEqual("charset".utf8) else { continue }
      let value = unquoted(trimmed(parameter[(equals + 1)...]))
      return value.isEmpty ? nil : value
    }
    return nil
  }

  private static func unquoted(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
    guard value.first == UInt8(ascii: "\"") else { return Array(value) }
    var result: [UInt8] = []
    var isEscaped = false
    for byte in value.dropFirst() {
      if !isEscaped, byte == UInt8(ascii: "\"") { break }
      if !isEscaped, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        result.append(byte)
        isEscaped = false
      }
    }
    return result
  }
}

/// A pattern for the type of a response: anchored at both ends, `*` being one or more characters
/// other than `/` and `+`, letter case and parameters ignored. (TRF-25 to TRF-29)
package struct ContentTypePattern: Sendable, Hashable {
  /// In lower case, without parameters.
  private let pattern: [UInt8]

  package init(_ pattern: String) {
    var pattern = pattern
    self.pattern = pattern.withUTF8 { bytes in
      ContentType.mediaType(of: bytes).map { ContentTypePattern.lowercased($0) }
    }
  }

  package func matches(_ contentType: String) -> Bool {
    var contentType = contentType
    return contentType.withUTF8 { matches($0) }
  }

  package func matches(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    let type = UnsafeBufferPointer(rebasing: ContentType.mediaType(of: contentType))
    return pattern.withUnsafeBufferPointer { pattern in
      var position = 0
      var index = 0
      // The last star and the end of what it has taken. An earlier one need not be tried again: the
      // later one can take as much, or a separator between them leaves the earlier no choice.
      var star: (position: Int, end: Int)?
      while true {
        if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
          if index < type.count, ContentTypePattern.isWild(type[index]) {
            index += 1
            star = (position, index)
            position += 1
            continue
          }
        } else if position == pattern.count {
          if index == type.count { return true }
        } else if index < type.count,
          pattern[position] == ContentTypePattern.lowercased(type[index])
        {
          position += 1
          index += 1
          continue
        }
        guard let last = star, last.end < type.count, ContentTypePattern.isWild(type[last.end])
        else { return false }
        star = (last.position, last.end + 1)
        position = last.position + 1
        index = last.end + 1
      }
    }
  }

  private static func isWild(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: "/") && byte != UInt8(ascii: "+")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 65 && byte <= 90 ? byte | 0x20 : byte
  }
}

// MARK: - Standard set

extension ContentTypePattern {
  private static let json = [ContentTypePattern("*/json"), ContentTypePattern("*/*+json")]
  private static let text = ContentTypePattern("text/*")
  private static let eventStream = ContentTypePattern("text/event-stream")
  private static let xml = ["*/xml", "*/*+xml"].map { ContentTypePattern($0) }
  /// Those of lines of JSON.
  package static let lineTypes = [
    "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
    "application/jsonlines", "application/x-jsonlines", "text/x-ndjson", "text/ndjson",
    "text/jsonl", "text/x-jsonl",
  ].map { ContentTypePattern($0) }
  /// Those of values of JSON that follow each other. (RFC 7464)
  package static let valueTypes = [
    "application/stream+json", "application/json-seq", "*/*+json-seq",
  ].map { ContentTypePattern($0) }
  private static let csv = ContentTypePattern("text/csv")
  private static let otherText = [
    "application/javascript", "application/x-javascript", "application/ecmascript",
    "application/yaml", "application/x-yaml", "*/*+yaml", "application/x-www-form-urlencoded",
  ].map { ContentTypePattern($0) }

  /// `*/json` and `*/*+json`: what the standard JSON parser takes. (TRF-32)
  package static func isJSON(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    isApplicationJSON(contentType) || json.contains { $0.matches(contentType) }
  }

  /// `text/*` but JSON: what the standard text parser takes. (TRF-32, TRF-34)
  package static func isText(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    !isApplicationJSON(contentType) && text.matches(contentType)
      && !json.contains { $0.matches(contentType) }
      && !lineTypes.contains { $0.matches(contentType) } && jsonForm(contentType) != .rows
  }

  /// What is text by its type without being `text/*`: XML, JavaScript, YAML, forms. (TXT-11)
  package static func isTextBesides(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    !isApplicationJSON(contentType) && !text.matches(contentType)
      && (isXML(contentType) || otherText.contains { $0.matches(contentType) })
  }

  /// `*/xml` and `*/*+xml`, which may say themselves which charset they are in.
  package static func isXML(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    xml.contains { $0.matches(contentType) }
  }

  /// Several values of JSON, on a line each or one after the other. (JSN-20)
  package static func isJSONLines(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    let form = jsonForm(contentType)
    return form == .lines || form == .values
  }

  /// How the JSON of a body of that type is written.
  package static func jsonForm(_ contentType: UnsafeBufferPointer<UInt8>) -> JSONForm {
    if isApplicationJSON(contentType) { return .whole }
    if lineTypes.contains(where: { $0.matches(contentType) }) { return .lines }
    if valueTypes.contains(where: { $0.matches(contentType) }) { return .values }
    // What `ResponseType.csv` has made of it.
    let isRows = csv.matches(contentType) && contentType.suffix(7).elementsEqual("as=rows".utf8)
    return isRows ? .rows : .whole
  }

  /// Events that come one after the other, often without end.
  package static func isEventStream(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    // Every answer is asked that: the first letter settles most.
    guard let first = contentType.first, first | 0x20 == UInt8(ascii: "t") || first <= 0x20 else {
      return false
    }
    return eventStream.matches(contentType)
  }

  /// The usual case, settled by two comparisons: exactly this spelling, parameters or none.
  private static func isApplicationJSON(_ contentType: UnsafeBufferPointer<UInt8>) -> Bool {
    guard contentType.count >= 16,
      contentType.count == 16 || contentType[16] == UInt8(ascii: ";")
    else { return false }
    // Sixteen bytes are there, as checked above; the words need no alignment.
    let bytes = UnsafeRawBufferPointer(contentType)
    let first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    let second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return UInt64(littleEndian: first) == 0x7461_6369_6C70_7061  // "applicat"
      && UInt64(littleEndian: second) == 0x6E6F_736A_2F6E_6F69  // "ion/json"
  }
}
