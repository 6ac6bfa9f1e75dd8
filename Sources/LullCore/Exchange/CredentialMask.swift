/// What people read in the place of credentials, in URLs, headers and texts. Bodies: `body`.
package enum CredentialMask {
  package static let mark = "***"
  /// What the stand-in of a token begins with that a recording has in its place; its number follows.
  package static let standIn = "lull-token-"

  /// A URL without user and password, and without what is called like a credential in its query.
  package static func url(_ text: String) -> String {
    let text = LogText.withoutUser(text)
    guard let start = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
    return String(text[..<start]) + pairs(text[start...])
  }

  /// The same of what was given for a URL and is none: up to the last `@` it may be user and password,
  /// whatever stands there.
  package static func malformedURL(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return CredentialMask.text(text) }
    let start =
      text.firstRange(of: "//")?.upperBound ?? text.firstRange(of: ":/")?.upperBound
      ?? text.startIndex
    guard start < at else { return CredentialMask.text(text) }
    return CredentialMask.text(String(text[..<start]) + text[text.index(after: at)...])
  }

  /// What stands for the value of a header: a cookie's value too, whose name says nothing of it.
  ///
  /// - Parameter mark: in the place of a credential.
  package static func header(
    _ name: String, _ value: String, mark: String = CredentialMask.mark
  ) -> String {
    if isMasked(value) { return value }
    return CredentialName.names(name) || namesScheme(value) ? mark : text(value)
  }

  /// `Bearer …`, whatever the header is called; what a server asks for by that name has parameters.
  private static func namesScheme(_ value: String) -> Bool {
    guard let space = value.firstIndex(of: " ") else { return false }
    let token = value[value.index(after: space)...]
    return ["bearer", "basic"].contains(value[..<space].lowercased()) && !token.isEmpty
      && !token.contains { $0 == " " || $0 == "\"" || $0 == "," }
  }

  /// Any text, without user, password and parameters of the URLs in it.
  package static func text(_ text: String) -> String {
    guard text.contains("=") || text.contains("@") else { return text }
    return pairs(withoutUsers(text)[...])
  }

  /// Whether what is called so is a credential to be masked: a secret has its mask already.
  static func masks(_ name: some StringProtocol, _ value: some StringProtocol) -> Bool {
    !value.isEmpty && CredentialName.names(decoded(name)) && !isMasked(value)
  }

  /// Whether the text of a secret is not there already.
  package static func isMasked(_ value: some StringProtocol) -> Bool {
    value.contains("‹secret ") || value.contains("%E2%80%B9secret") || value.contains(standIn)
  }

  /// With something else in the place of each mask of a secret.
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

  /// With masks of secrets as they are, where they were escaped for a URL.
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

  /// `?a=b&token=c#key=d`: with the values masked, as far as there are any.
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
      // A secret's mask has a space in it.
      var end =
        rest[valueStart...].hasPrefix("‹")
        ? rest[valueStart...].firstIndex(of: "›") ?? rest.endIndex
        : rest[valueStart...].firstIndex { $0 == "&" || $0 == "#" || isEnd($0) } ?? rest.endIndex
      // What ends a sentence does not end a value.
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

  /// Of a form or query: `+` and escapes read.
  package static func decoded(_ text: some StringProtocol) -> String {
    String(decoding: decodedBytes(text), as: UTF8.self)
  }

  /// The same as bytes, which may be no text.
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

/// Bodies of requests and responses as people read them.
extension CredentialMask {
  /// A body in which the fields that are called like credentials are masked: of JSON, of several JSON
  /// texts, of a form, and elements of XML that hold text. Anything else is as it was.
  ///
  /// - Parameter onlyCertain: whether fields of JSON stay whose names are those of other things too.
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

  /// `<password>…</password>`, with a prefix and attributes too.
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

  /// nil if it is none: on one line, and without spaces but for those of masks.
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

  /// What is cut off or no JSON is read as far as it goes.
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
      // Beside a secret in an object something else may stand that has no mask.
      let isNamed =
        onlyCertain ? CredentialName(name) == .certain : CredentialName.names(name)
      // In an answer a program may read what is no text: an object that is called so is a state of it.
      guard isNamed, !onlyCertain || text.hasPrefix("\""),
        !(text.hasPrefix("\"") && isMasked(text)),
        !["", "\"\"", "null", "true", "false", "[]", "{}"].contains(text)
      else { continue }
      result += "\"\(mark)\"".utf8
      place = valueEnd
    }
    return result
  }

  /// The name of a member without its quotes; escapes of what is not ASCII are left as they are.
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

  /// Behind the quotation mark that ends the string at `start`.
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
