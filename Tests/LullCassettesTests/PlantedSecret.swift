import LullCassettes
import LullCore
import LullTestSupport

/// A secret, and whether a recording tells it in any of the ways that somebody would try.
struct PlantedSecret {
  let text: String
  private let digits: String
  private let small: String
  /// Nothing shorter holds it, in whatever charset.
  private static let shortest = 12

  init(_ random: inout SeededGenerator) {
    let alphabets = [
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "0123456789abcdef",
      "abcXYZ019-_.~", "abcXYZ019/\\\"&=%?#:@", "abcäöü€😀019",
    ]
    let alphabet = Array(alphabets.randomElement(using: &random) ?? "abc")
    let count = Int.random(in: 10...48, using: &random)
    // Letters around it: a mark at its edge may belong to what is beside it.
    text =
      "q" + String((0..<count).compactMap { _ in alphabet.randomElement(using: &random) }) + "Z"
    small = text.lowercased()
    digits = Hexadecimal.text(Array(text.utf8))
  }

  func isFound(in file: HARFile) -> Bool {
    file.entries.contains { entry in
      var texts: [[UInt8]] = [Array(entry.request.url.utf8), entry.request.body?.bytes ?? []]
      texts += entry.request.headers.map(\.value)
      texts += entry.response?.headers.map(\.value) ?? []
      texts += [entry.response?.body?.bytes ?? [], Array((entry.response?.finalURL ?? "").utf8)]
      texts.append(Array((entry.failure?.message ?? "").utf8))
      texts += (entry.request.headers + (entry.response?.headers ?? [])).map { Array($0.name.utf8) }
      texts += [entry.request.body?.type ?? "", entry.response?.body?.type ?? ""].map {
        Array($0.utf8)
      }
      return texts.contains { isFound(in: $0) }
    }
  }

  func isFound(inFile bytes: [UInt8]) -> Bool {
    guard let document = try? JSONDocument(parsing: bytes) else { return true }
    return Self.strings(document.root).contains { isFound(in: Array($0.utf8)) }
  }

  private func isFound(in bytes: [UInt8], depth: Int = 3) -> Bool {
    guard bytes.count >= PlantedSecret.shortest else { return false }
    if bytes.contains(0) || String(validating: bytes, as: UTF8.self) == nil {
      return isFound(inOtherCharset: bytes)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    var readings = [text, CredentialMask.decoded(text)]
    if text.contains("&#") || text.contains("&quot") || text.contains("&amp") {
      readings.append(Self.withoutEntities(text))
    }
    if text.contains("\n"), let bytes = try? Base64.decode(bytes) {
      readings.append(String(decoding: bytes, as: UTF8.self))
      if depth > 0, isFound(in: bytes, depth: depth - 1) { return true }
    }
    readings.append(CredentialMask.decoded(readings[1]))
    if let json = try? JSONDocument(parsing: bytes) {
      let strings = Self.strings(json.root)
      readings += strings
      // Lines of base64.
      let wrapped = strings.filter { $0.contains("\n") }
      if depth > 0, wrapped.contains(where: { isFound(in: Array($0.utf8), depth: depth - 1) }) {
        return true
      }
    }
    let plain = readings[1] == text ? "" : " " + readings[1]
    for word in (text + plain).split(whereSeparator: { " \"=&:;,{}?".contains($0) })
    where word.utf8.count >= PlantedSecret.shortest {
      if let bytes = try? Base64.decode(Array(word.utf8)) {
        readings.append(String(decoding: bytes, as: UTF8.self))
        if depth > 0, isFound(in: bytes, depth: depth - 1) { return true }
        // What is no text stands so in a file.
        if word.utf8.count == text.utf8.count, isFound(inOtherCharset: bytes) { return true }
      }
    }
    readings += readings.flatMap { [Self.decoded($0, mark: #"\x"#), Self.decoded($0, mark: "=")] }
    return readings.contains { $0.lowercased().contains(small) || isFoundAsNumbers(in: $0) }
      || text.lowercased().contains(digits)
  }

  private func isFound(inOtherCharset bytes: [UInt8]) -> Bool {
    ["iso-8859-1", "utf-16le", "utf-16be"].contains { charset in
      let text = bytes.withUnsafeBufferPointer { try? TextCoding.decode($0, charset: charset) }
      guard let text else { return false }
      if text.contains(self.text) { return true }
      let json = try? JSONDocument(parsing: Array(text.drop { $0 == "\u{FEFF}" }.utf8))
      return json.map { Self.strings($0.root).contains { $0.contains(self.text) } } ?? false
    }
  }

  /// With the bytes that stand behind a mark as two digits, and without ends of lines behind it.
  private static func decoded(_ text: String, mark: String) -> String {
    guard text.contains(mark) else { return text }
    let text = text.replacing("\r\n", with: "\n").replacing("=\n", with: "")
    var bytes: [UInt8] = []
    for (number, part) in text.split(separator: mark, omittingEmptySubsequences: false).enumerated()
    {
      guard number > 0 else {
        bytes += part.utf8
        continue
      }
      let byte = part.utf8.count < 2 ? nil : UInt8(part.prefix(2), radix: 16)
      bytes += byte.map { [$0] + part.dropFirst(2).utf8 } ?? Array((mark + part).utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func isFoundAsNumbers(in text: String) -> Bool {
    let plain = text.lowercased().replacing("0x", with: "")
    let joined = plain.utf8.filter { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    if String(decoding: joined, as: UTF8.self).replacing("x", with: "").contains(digits) {
      return true
    }
    let numbers = self.text.utf8.map(String.init).joined(separator: ",")
    return plain.replacing(" ", with: "").contains(numbers)
  }

  private static func withoutEntities(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      let end = rest[start...].firstIndex(of: ";") ?? rest.index(before: rest.endIndex)
      let name = rest[rest.index(after: start)..<end]
      let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
      let value = name.hasPrefix("#") ? UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10) : nil
      let scalar = value.flatMap { Unicode.Scalar($0) }
      result += scalar.map { String(Character($0)) } ?? (name == "amp" ? "&" : "\"")
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func strings(_ element: JSONElement) -> [String] {
    switch element.kind {
    case .object: element.pairs.flatMap { [$0.key] + strings($0.value) }
    case .array: element.elements.flatMap(strings)
    default: element.string.map { [$0] } ?? []
    }
  }
}
