/// The values that distinguish a query from other queries of the same URL: method, media type and
/// canonical content, and the headers that describe the content.
///
/// Two contents with the same canonical form are the same query. JSON is compared by value. Content
/// of any other media type is compared byte by byte. (QUERY-02 to QUERY-05; RFC 10008, section 2.7)
/// Any thread.
package struct QueryIdentity: Hashable, Sendable {
  package let method: RequestMethod
  /// The description of the content. The first line is the media type in lower case, with
  /// parameters sorted by name; it is empty without a media type. The other lines are the headers
  /// whose names begin with `Content-`, such as Content-Encoding. (QUERY-70)
  package let metadata: String
  /// The canonical form of the content, or its bytes if it has no canonical form. Secrets are
  /// masked.
  package let content: [UInt8]
  /// Whether `content` is the canonical form of JSON.
  private let isCanonical: Bool
  /// The secrets in the content, in order. They are compared too, because different secrets may
  /// have the same mask.
  let secrets: [SecretText]

  /// - Parameters:
  ///   - content: The bytes of the content as they are sent, with secrets masked.
  ///   - headers: The headers that are sent with the content.
  package init(
    method: RequestMethod, contentType: String, content: [UInt8], secrets: [SecretText] = [],
    headers: Headers = Headers()
  ) {
    self.method = method
    self.secrets = secrets
    // With this directive, a client asks caches not to remove differences that have no meaning.
    // (QUERY-71; RFC 10008, section 2.7)
    let isExact = !headers.isEmpty && CacheControl(headers).isNoTransform
    let type = ContentType(contentType)
    let others = QueryIdentity.metadata(in: headers)
    metadata = (isExact ? contentType : type.canonical) + others
    // If two secrets had the same mask, the order of their members would matter. Content with a
    // coding is not JSON, whatever its bytes.
    guard !isExact, others.isEmpty || headers["content-encoding"] == nil,
      secrets.isEmpty || Set(secrets.map(\.masked)).count == secrets.count, type.isJSON,
      let form = CanonicalJSON.text(of: content)
    else {
      (self.content, isCanonical) = (content, false)
      return
    }
    isCanonical = true
    // The two are usually equal, so no second copy is needed.
    self.content = form == content ? content : form
  }

  /// Returns the headers that describe the content, except its type and length: one line each,
  /// sorted.
  private static func metadata(in headers: Headers) -> String {
    guard !headers.isEmpty else { return "" }
    return headers.pairs
      .filter { name, _ in
        name.hasPrefix("content-") && name != "content-type" && name != "content-length"
      }
      .map { "\n\($0.name): \($0.value)" }.sorted().joined()
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    hasher.combine(metadata)
    // At once: an array combines its bytes one by one.
    content.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// A text from which caches compute the digest that distinguishes this query from other queries
  /// of the URL. Secrets are masked.
  package var text: [UInt8] {
    Array("\(method)\n\(metadata)\n\(isCanonical ? "value" : "bytes")\n".utf8) + content
  }
}

/// The canonical form of JSON text: equal values have the same form, and different values have
/// different forms.
///
/// Members are sorted by key. If a key is repeated, the last member is used (JSN-13). Numbers are
/// equal if they are equal as decimals of any size: `1`, `1.0` and `10e-1` are equal, and `0` and
/// `-0` are equal. Strings are compared by code point, with escapes resolved. (QUERY-04) The form
/// is used for comparisons and digests, and is never sent.
package enum CanonicalJSON {
  /// The maximum nesting depth. Content with deeper nesting has no canonical form, so that reading
  /// content needs little stack.
  package static let deepest = 512

  /// Returns the canonical form. Returns nil in these cases: the bytes are not valid JSON, they are
  /// nested too deeply, or an exponent does not fit into 64 bits.
  package static func text(of bytes: [UInt8]) -> [UInt8]? {
    bytes.withUnsafeBufferPointer { bytes in
      guard UTF8Validation.isValid(bytes) else { return nil }
      var reader = Reader(bytes: bytes)
      guard reader.value(depth: 0) else { return nil }
      reader.skipSpace()
      return reader.place == bytes.count ? reader.form : nil
    }
  }

  /// Reads JSON text and writes its canonical form. Each function returns false if the text is not
  /// valid.
  private struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    var place = 0
    var form: [UInt8] = []

    init(bytes: UnsafeBufferPointer<UInt8>) {
      self.bytes = bytes
      form.reserveCapacity(bytes.count)
    }

    /// The next byte. At the end of the text it is 0, which is invalid outside strings.
    private var next: UInt8 { place < bytes.count ? bytes[place] : 0 }

    mutating func skipSpace() {
      while place < bytes.count {
        switch bytes[place] {
        case 0x20, 0x09, 0x0A, 0x0D: place += 1
        default: return
        }
      }
    }

    mutating func value(depth: Int) -> Bool {
      guard depth < CanonicalJSON.deepest else { return false }
      skipSpace()
      switch next {
      case UInt8(ascii: "{"): return object(depth: depth)
      case UInt8(ascii: "["): return array(depth: depth)
      case UInt8(ascii: "\""): return string()
      case UInt8(ascii: "t"): return word("true")
      case UInt8(ascii: "f"): return word("false")
      case UInt8(ascii: "n"): return word("null")
      default: return number()
      }
    }

    private mutating func word(_ word: StaticString) -> Bool {
      let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
      guard bytes.count - place >= word.count,
        word.indices.allSatisfy({ bytes[place + $0] == word[$0] })
      else { return false }
      form.append(contentsOf: word)
      place += word.count
      return true
    }

    private mutating func array(depth: Int) -> Bool {
      place += 1
      form.append(UInt8(ascii: "["))
      skipSpace()
      if next == UInt8(ascii: "]") { return close() }
      while true {
        guard value(depth: depth + 1) else { return false }
        skipSpace()
        switch next {
        case UInt8(ascii: "]"): return close()
        case UInt8(ascii: ","):
          place += 1
          form.append(UInt8(ascii: ","))
        default: return false
        }
      }
    }

    private mutating func close() -> Bool {
      form.append(bytes[place])
      place += 1
      return true
    }

    // MARK: Objects

    /// The position of a member in the output: its key is from `start` to `keyEnd`, its value from
    /// there to `end`.
    private struct Member {
      let start: Int
      let keyEnd: Int
      let end: Int
    }

    private mutating func object(depth: Int) -> Bool {
      place += 1
      form.append(UInt8(ascii: "{"))
      let start = form.count
      var members: [Member] = []
      skipSpace()
      if next == UInt8(ascii: "}") { return close() }
      while true {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { return false }
        let first = form.count
        guard string() else { return false }
        let keyEnd = form.count
        skipSpace()
        guard next == UInt8(ascii: ":") else { return false }
        place += 1
        form.append(UInt8(ascii: ":"))
        guard value(depth: depth + 1) else { return false }
        form.append(UInt8(ascii: ","))
        members.append(Member(start: first, keyEnd: keyEnd, end: form.count))
        skipSpace()
        switch next {
        case UInt8(ascii: "}"):
          sort(members, from: start)
          return close()
        case UInt8(ascii: ","): place += 1
        default: return false
        }
      }
    }

    /// Sorts the members by key. If several members have the same key, removes all but the last. In
    /// most cases there is nothing to do.
    private mutating func sort(_ members: [Member], from start: Int) {
      let isSorted = zip(members, members.dropFirst()).allSatisfy { isLess($0, $1) }
      guard !isSorted else { return }
      let sorted = members.indices.sorted { left, right in
        isLess(members[left], members[right])
          || left < right && !isLess(members[right], members[left])
      }.map { members[$0] }
      var text: [UInt8] = []
      text.reserveCapacity(form.count - start)
      for (index, member) in sorted.enumerated() {
        if index + 1 < sorted.count, !isLess(member, sorted[index + 1]) { continue }
        text += form[member.start..<member.end]
      }
      form.replaceSubrange(start..., with: text)
    }

    private func isLess(_ left: Member, _ right: Member) -> Bool {
      form[left.start..<left.keyEnd].lexicographicallyPrecedes(form[right.start..<right.keyEnd])
    }

    // MARK: Strings

    /// Reads a string and writes its characters unescaped, except quotation marks and backslashes.
    private mutating func string() -> Bool {
      form.append(UInt8(ascii: "\""))
      place += 1
      while place < bytes.count {
        let byte = bytes[place]
        switch byte {
        case UInt8(ascii: "\""):
          return close()
        case UInt8(ascii: "\\"):
          guard escape() else { return false }
        case 0..<0x20: return false
        default: copyCharacters()
        }
      }
      return false
    }

    /// Copies the bytes up to the next quotation mark, backslash or control character.
    private mutating func copyCharacters() {
      let rest = bytes[place...]
      let end = rest.firstIndex {
        $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20
      }
      form += rest[..<(end ?? bytes.endIndex)]
      place = end ?? bytes.endIndex
    }

    private mutating func escape() -> Bool {
      place += 1
      let byte = next
      place += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        form.append(UInt8(ascii: "\\"))
        form.append(byte)
      case UInt8(ascii: "/"): form.append(byte)
      case UInt8(ascii: "b"): form.append(0x08)
      case UInt8(ascii: "f"): form.append(0x0C)
      case UInt8(ascii: "n"): form.append(0x0A)
      case UInt8(ascii: "r"): form.append(0x0D)
      case UInt8(ascii: "t"): form.append(0x09)
      case UInt8(ascii: "u"): return unicodeEscape()
      default: return false
      }
      return true
    }

    private mutating func unicodeEscape() -> Bool {
      guard var code = hexadecimal() else { return false }
      if (0xD800..<0xDC00).contains(code), next == UInt8(ascii: "\\"), place + 1 < bytes.count,
        bytes[place + 1] == UInt8(ascii: "u")
      {
        let before = place
        place += 2
        guard let low = hexadecimal() else { return false }
        if (0xDC00..<0xE000).contains(low) {
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        } else {
          place = before
        }
      }
      append(code)
      return true
    }

    private mutating func hexadecimal() -> UInt32? {
      guard bytes.count - place >= 4 else { return nil }
      var code: UInt32 = 0
      for _ in 0..<4 {
        let digit: UInt8
        switch bytes[place] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = bytes[place] - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = bytes[place] - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = bytes[place] - UInt8(ascii: "A") + 10
        default: return nil
        }
        code = code << 4 | UInt32(digit)
        place += 1
      }
      return code
    }

    /// Writes a code point as UTF-8. A lone surrogate is written as the three bytes that its code
    /// point would have. No valid text contains these bytes, so the surrogate stays distinct.
    private mutating func append(_ code: UInt32) {
      switch code {
      case UInt32(UInt8(ascii: "\"")), UInt32(UInt8(ascii: "\\")):
        form.append(UInt8(ascii: "\\"))
        form.append(UInt8(code))
      case 0..<0x80: form.append(UInt8(code))
      case 0..<0x800:
        form.append(UInt8(0xC0 | code >> 6))
        form.append(UInt8(0x80 | code & 0x3F))
      case 0..<0x10000:
        form.append(UInt8(0xE0 | code >> 12))
        form.append(UInt8(0x80 | code >> 6 & 0x3F))
        form.append(UInt8(0x80 | code & 0x3F))
      default:
        form.append(UInt8(0xF0 | code >> 18))
        form.append(UInt8(0x80 | code >> 12 & 0x3F))
        form.append(UInt8(0x80 | code >> 6 & 0x3F))
        form.append(UInt8(0x80 | code & 0x3F))
      }
    }

    // MARK: Numbers

    private static func isDigit(_ byte: UInt8) -> Bool {
      byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private mutating func digits() -> Range<Int>? {
      let start = place
      while Reader.isDigit(next) { place += 1 }
      return place > start ? start..<place : nil
    }

    /// Reads a number and writes `-` if it is negative, the digits without zeros at their ends, and
    /// the exponent of the last digit.
    private mutating func number() -> Bool {
      let isNegative = next == UInt8(ascii: "-")
      if isNegative { place += 1 }
      guard let whole = digits(), whole.count == 1 || bytes[whole.lowerBound] != UInt8(ascii: "0")
      else { return false }
      var fraction = place..<place
      if next == UInt8(ascii: ".") {
        place += 1
        guard let found = digits() else { return false }
        fraction = found
      }
      guard var exponent = exponent() else { return false }
      var kept: [UInt8] = []
      kept.reserveCapacity(whole.count + fraction.count)
      kept += bytes[whole]
      kept += bytes[fraction]
      exponent = exponent.subtractingReportingOverflow(fraction.count).partialValue
      while kept.last == UInt8(ascii: "0") {
        kept.removeLast()
        exponent += 1
      }
      let zeros = kept.prefix { $0 == UInt8(ascii: "0") }.count
      guard zeros < kept.count else {
        form.append(UInt8(ascii: "0"))
        return true
      }
      if isNegative { form.append(UInt8(ascii: "-")) }
      form += kept[zeros...]
      if exponent != 0 {
        form.append(UInt8(ascii: "e"))
        form += String(exponent).utf8
      }
      return true
    }

    /// Reads the exponent of a number and returns it; 0 if there is no exponent. Returns nil if the
    /// exponent is not valid or too large.
    private mutating func exponent() -> Int? {
      guard next | 0x20 == UInt8(ascii: "e") else { return 0 }
      place += 1
      let isNegative = next == UInt8(ascii: "-")
      if isNegative || next == UInt8(ascii: "+") { place += 1 }
      guard let digits = digits() else { return nil }
      var value = 0
      for byte in bytes[digits] {
        let digit = Int(byte - UInt8(ascii: "0"))
        // Far from the limits of Int, so that counts of digits can be added.
        guard value < Int.max / 100 else { return nil }
        value = 10 * value + digit
      }
      return isNegative ? -value : value
    }
  }
}
