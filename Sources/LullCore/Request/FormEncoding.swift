/// Bodies of type `application/x-www-form-urlencoded`. (REQ-15 to REQ-20)
package enum FormEncoding {
  /// The pairs escaped, joined and sorted by their escaped `name=value` text: the same body
  /// whatever order they came in. No pairs make an empty body. (REQ-16 to REQ-18, REQ-20)
  package static func encode(
    _ pairs: [(name: [UInt8], value: [UInt8])]
  ) throws(FormEncodingError) -> [UInt8] {
    var parts: [[UInt8]] = []
    parts.reserveCapacity(pairs.count)
    var count = 0
    for (name, value) in pairs {
      var part: [UInt8] = []
      part.reserveCapacity(name.count + value.count + 1)
      try append(name, to: &part)
      part.append(UInt8(ascii: "="))
      try append(value, to: &part)
      count += part.count + 1
      parts.append(part)
    }
    parts.sort { $0.lexicographicallyPrecedes($1) }
    // Nothing is sent any more where there is no room: the run ends.
    guard MemoryLedger.allows(count) else { return [] }
    var body: [UInt8] = []
    body.reserveCapacity(count)
    for part in parts {
      if !body.isEmpty { body.append(UInt8(ascii: "&")) }
      body += part
    }
    return body
  }

  private static func append(
    _ text: [UInt8], to part: inout [UInt8]
  ) throws(FormEncodingError) {
    guard text.withUnsafeBufferPointer({ UTF8Validation.isValid($0) }) else {
      throw FormEncodingError(bytes: text)
    }
    ResourceURL.Escaping.append(text, to: &part, keeping: ResourceURL.Escaping.form)
  }
}

/// A name or value of a form is no text; the request fails as `not_url_encodable`. (REQ-19)
package struct FormEncodingError: Error, Equatable {
  /// The offending string.
  package let bytes: [UInt8]

  package var cause: RequestError.Cause { .notURLEncodable(string: ByteString(bytes)) }
}
