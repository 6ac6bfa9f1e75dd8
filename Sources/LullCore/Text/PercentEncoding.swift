/// One part of a URL, such as a segment of its path or the value of a parameter, as it stands there:
/// `%XX` for every byte but letters, digits and `-._~`. (RFC 3986, 2.1 to 2.3)
package enum PercentEncoding {
  /// The place of a percent sign that begins no escape.
  package struct BadEscape: Error, Equatable {
    /// In bytes from the start of the text.
    package let offset: Int
    /// What stands there, three bytes at most.
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

  /// Resolves the escapes, each of which gives one byte; everything else stays, `+` too, which only
  /// forms use for a space.
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

/// Names and values as forms of browsers write them, in a body or a query: in the order they come, a space
/// as `+`, everything else escaped but letters, digits and `-._~`. (ITM-05)
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
