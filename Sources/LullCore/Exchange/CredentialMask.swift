/// Masks credentials in URLs, headers, texts and bodies. For bodies, see `body`.
package enum CredentialMask {
  package static let mark = "***"
  /// The prefix of a text that replaces a token in a recording. The number of the token follows the
  /// prefix.
  package static let standIn = "lull-token-"

  /// Removes the user and password from a URL. Masks the values of query parameters whose names
  /// denote credentials.
  package static func url(_ text: String) -> String {
    let text = LogText.withoutUser(text)
    guard let start = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
    return String(text[..<start]) + pairs(text[start...])
  }

  /// Masks an invalid URL. All the text up to the last `@` is removed, since it may contain a user
  /// and password.
  package static func malformedURL(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return CredentialMask.text(text) }
    let start =
      text.firstRange(of: "//")?.upperBound ?? text.firstRange(of: ":/")?.upperBound
      ?? text.startIndex
    guard start < at else { return CredentialMask.text(text) }
    return CredentialMask.text(String(text[..<start]) + text[text.index(after: at)...])
  }

  /// Returns the value of a header with credentials masked. Cookies are masked too, although the
  /// names of cookie headers don't denote credentials.
  ///
  /// - Parameter mark: The text that replaces a credential.
  package static func header(
    _ name: String, _ value: String, mark: String = CredentialMask.mark
  ) -> String {
    if isMasked(value) { return value }
    return CredentialName.names(name) || namesScheme(value) ? mark : text(value)
  }

  /// Whether the value consists of an authentication scheme and a token, such as `Bearer …`, in a
  /// header of any name. The challenge of a server has parameters instead of a token.
  private static func namesScheme(_ value: String) -> Bool {
    guard let space = value.firstIndex(of: " ") else { return false }
    let token = value[value.index(after: space)...]
    return ["bearer", "basic"].contains(value[..<space].lowercased()) && !token.isEmpty
      && !token.contains { $0 == " " || $0 == "\"" || $0 == "," }
  }

  /// Masks the user, password and parameters of all URLs in a text.
  package static func text(_ text: String) -> String {
    guard text.contains("=") || text.contains("@") else { return text }
    return pairs(withoutUsers(text)[...])
  }

  /// Whether a parameter must be masked: its name denotes a credential, and its value is not masked
  /// yet.
  static func masks(_ name: some StringProtocol, _ value: some StringProtocol) -> Bool {
    !value.isEmpty && CredentialName.names(decoded(name)) && !isMasked(value)
  }

  /// Whether the value already contains a mask: the mask of a secret, or the text that replaces a
  /// token in a recording.
  package static func isMasked(_ value: some StringProtocol) -> Bool {
    value.contains("‹secret ") || value.contains("%E2%80%B9secret") || value.contains(standIn)
  }

  /// Replaces the mask of each secret in a text with the result of `make`. `make` gets the mask.
  package static func replacingMasks(in text: String, _ make: (Substring) -> String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "‹secret "),
      let end = rest[start.upperBound...].firstIndex(of: "›")
    {
      result += rest[..<start.lowerBound] + make(rest[start.lowerBound...end])
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// Decodes the masks in a text that were percent-encoded for a URL.
  package static func decodedMasks(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "%E2%80%B9secret"),
      let end = rest[start.upperBound...].firstRange(of: "%E2%80%BA")
    {
      result += rest[..<start.lowerBound] + decoded(rest[start.lowerBound..<end.upperBound])
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  private static func withoutUsers(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "://")?.upperBound {
      result += rest[..<start]
      rest = rest[start...]
      let end = rest.firstIndex { "/?#'\"<>".contains($0) || $0.isWhitespace } ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    }
    return result + rest
  }

  /// Masks the values of credentials in a text such as `?a=b&token=c#key=d`.
  private static func pairs(_ text: Substring) -> String {
    var result = ""
    var rest = text
    while let mark = rest.firstIndex(where: { "?&#".contains($0) }) {
      let start = rest.index(after: mark)
      result += rest[..<start]
      rest = rest[start...]
      let nameEnd = rest.firstIndex { "=?&#/".contains($0) || isEnd($0) } ?? rest.endIndex
      guard nameEnd < rest.endIndex, rest[nameEnd] == "=" else { continue }
      let valueStart = rest.index(after: nameEnd)
      // The mask of a secret contains a space.
      var end =
        rest[valueStart...].hasPrefix("‹")
        ? rest[valueStart...].firstIndex(of: "›") ?? rest.endIndex
        : rest[valueStart...].firstIndex { $0 == "&" || $0 == "#" || isEnd($0) } ?? rest.endIndex
      // Punctuation that ends a sentence isn't part of the value.
      if end == rest.endIndex || rest[end].isWhitespace {
        while end > valueStart, "),;:.…".contains(rest[rest.index(before: end)]) {
          end = rest.index(before: end)
        }
      }
      guard masks(rest[..<nameEnd], rest[valueStart..<end]) else { continue }
      result += rest[..<valueStart] + CredentialMask.mark
      rest = rest[end...]
    }
    return result + rest
  }

  private static func isEnd(_ character: Character) -> Bool {
    character.isWhitespace || "'\"<>".contains(character)
  }

  /// Decodes a form field or query parameter: `+` becomes a space, and percent-encoding is decoded.
  package static func decoded(_ text: some StringProtocol) -> String {
    String(decoding: decodedBytes(text), as: UTF8.self)
  }

  /// Decodes a form field or query parameter to bytes, which need not be valid UTF-8.
  package static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
    guard text.contains("%") || text.contains("+") else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return bytes
  }
}

/// Masks credentials in the bodies of requests and responses.
extension CredentialMask {
  /// Masks the fields of a body whose names denote credentials. Handles JSON, several consecutive
  /// JSON texts, forms, and XML elements that contain text. Any other body is unchanged.
  ///
  /// - Parameter onlyCertain: If true, JSON fields are not masked if their names are also used for
  ///   values that are not credentials.
  package static func body(_ bytes: [UInt8], onlyCertain: Bool = false) -> [UInt8] {
    let first = bytes.first { !isSpace($0) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return json(bytes, onlyCertain: onlyCertain)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return bytes }
    return Array(body(text).utf8)
  }

  package static func body(_ text: String) -> String {
    let first = text.utf8.first { !isSpace($0) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return String(decoding: json(Array(text.utf8)), as: UTF8.self)
    }
    if first == UInt8(ascii: "<") { return CredentialMask.text(markup(text)) }
    return form(text) ?? CredentialMask.text(text)
  }

  /// Masks the text of XML elements such as `<password>…</password>`. The elements may have
  /// prefixes and attributes.
  private static func markup(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "<"), let end = rest[open...].firstIndex(of: ">") {
      let tag = rest[rest.index(after: open)..<end]
      result += rest[...end]
      rest = rest[rest.index(after: end)...]
      let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
      let local = name.split(separator: ":").last ?? ""
      guard !tag.hasSuffix("/"), CredentialName.names(String(local)),
        let close = rest.firstRange(of: "</\(name)>"), close.lowerBound > rest.startIndex,
        !isMasked(rest[..<close.lowerBound])
      else { continue }
      result += mark
      rest = rest[close.lowerBound...]
    }
    return result + rest
  }

  /// Masks the fields of a form. Returns nil if the text isn't a form. A form is one line, without
  /// spaces except those in masks.
  private static func form(_ text: String) -> String? {
    let pairs = text.split(separator: "&", omittingEmptySubsequences: false)
    let isForm = pairs.allSatisfy { pair in
      isMasked(pair) || !pair.contains { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "<" }
    }
    guard isForm, text.contains("=") else { return nil }
    return pairs.map { pair in
      guard let equals = pair.firstIndex(of: "="),
        masks(pair[..<equals], pair[pair.index(after: equals)...])
      else { return String(pair) }
      return pair[...equals] + mark
    }.joined(separator: "&")
  }

  /// Masks the members of JSON text. Truncated or invalid JSON is masked as far as it can be read.
  private static func json(_ bytes: [UInt8], onlyCertain: Bool = false) -> [UInt8] {
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "\"") else {
        result.append(bytes[place])
        place += 1
        continue
      }
      let end = stringEnd(bytes, place)
      let colon = spaceEnd(bytes, end)
      guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
        result += bytes[place..<end]
        place = end
        continue
      }
      let value = spaceEnd(bytes, colon + 1)
      result += bytes[place..<value]
      let name = unescaped(bytes[place..<end])
      place = value
      let valueEnd = self.valueEnd(bytes, value)
      let text = String(decoding: bytes[value..<valueEnd], as: UTF8.self)
      // An object that contains a mask is not skipped, because it may contain unmasked values too.
      let isNamed =
        onlyCertain ? CredentialName(name) == .certain : CredentialName.names(name)
      // A program may read a value of a response that is not a string. An object with the name of a
      // credential is a state, not a credential. So `onlyCertain` masks only strings.
      guard isNamed, !onlyCertain || text.hasPrefix("\""),
        !(text.hasPrefix("\"") && isMasked(text)),
        !["", "\"\"", "null", "true", "false", "[]", "{}"].contains(text)
      else { continue }
      result += "\"\(mark)\"".utf8
      place = valueEnd
    }
    return result
  }

  /// The name of a member without its quotation marks. Escapes of non-ASCII characters are not
  /// decoded.
  private static func unescaped(_ key: ArraySlice<UInt8>) -> String {
    var name: [UInt8] = []
    var rest = key.dropFirst().dropLast()
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        name.append(byte)
        continue
      }
      if escape == UInt8(ascii: "u"),
        let value = UInt8(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16), value < 0x80
      {
        name.append(value)
        rest = rest.dropFirst(4)
      } else {
        name.append(escape)
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The index after the quotation mark that ends the string at index `start`.
  private static func stringEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    var place = start + 1
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place + 1, bytes.count)
  }

  private static func valueEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    var depth = 0
    var place = start
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place = stringEnd(bytes, place)
        if depth == 0 { return place }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return place }
        depth -= 1
        if depth == 0 { return place + 1 }
      case UInt8(ascii: ","): if depth == 0 { return place }
      case let byte: if depth == 0, isSpace(byte) { return place }
      }
      place += 1
    }
    return bytes.count
  }

  private static func spaceEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    var place = start
    while place < bytes.count, isSpace(bytes[place]) { place += 1 }
    return place
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 10 || byte == 13 || byte == 9
  }
}
