/// Percent-encodes a component of a URL, such as a path segment or a parameter value: every byte is
/// written as `%XX`, except letters, digits and `-._~`. (RFC 3986, 2.1 to 2.3)
package enum PercentEncoding {
  /// A percent sign that does not begin a valid escape.
  package struct BadEscape: Error, Equatable {
    /// The position of the percent sign, in bytes from the start of the text.
    package let offset: Int
    /// The invalid text, at most three bytes.
    package let text: ByteString
  }

  package static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let unreserved = ResourceURL.Escaping.unreserved
    var result: [UInt8] = []
    result.reserveCapacity(ResourceURL.Escaping.count(bytes, keeping: unreserved))
    ResourceURL.Escaping.append(bytes, to: &result, keeping: unreserved)
    return result
  }

  package static func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.withUnsafeBufferPointer { encode($0) }
  }

  package static func decode(_ text: ArraySlice<UInt8>) throws(BadEscape) -> [UInt8] {
    try text.withUnsafeBufferPointer { text throws(BadEscape) in try decode(text) }
  }

  /// Decodes the escapes in a text; each escape becomes one byte. All other bytes are unchanged,
  /// including `+`, which means a space only in forms.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>) throws(BadEscape) -> [UInt8] {
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%") {
        guard ResourceURL.Escaping.decodedByte(in: text, at: index) != nil else {
          throw BadEscape(offset: index, text: ByteString(text[index...].prefix(3)))
        }
        index += 2
      }
      index += 1
    }
    return ResourceURL.Escaping.decoded(text)
  }
}

/// Encodes names and values in the format of browser forms, for a body or a query. The order of the
/// pairs is kept. A space becomes `+`, and all other characters are escaped except letters, digits
/// and `-._~`. (ITM-05)
package enum PairEncoding {
  package static func encode(_ pairs: [(name: String, value: String)]) -> [UInt8] {
    var result: [UInt8] = []
    for (number, (name, value)) in pairs.enumerated() {
      if number > 0 { result.append(UInt8(ascii: "&")) }
      append(name, to: &result)
      result.append(UInt8(ascii: "="))
      append(value, to: &result)
    }
    return result
  }

  private static func append(_ text: String, to result: inout [UInt8]) {
    let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    for (number, word) in words.enumerated() {
      if number > 0 { result.append(UInt8(ascii: "+")) }
      ResourceURL.Escaping.append(word, to: &result, keeping: ResourceURL.Escaping.unreserved)
    }
  }
}
