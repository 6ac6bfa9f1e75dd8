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
