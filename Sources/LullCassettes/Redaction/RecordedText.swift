import LullCore

/// Converts recorded bytes to text. The charset is UTF-8, UTF-16 or UTF-32, or otherwise Latin-1.
struct RecordedText {
  /// The text, converted to UTF-8.
  let bytes: [UInt8]
  private let mark: [UInt8]
  private let charset: String

  /// Detects the charset and converts the bytes; nil if they are not text.
  init?(_ bytes: [UInt8]) {
    let isValid = bytes.withUnsafeBufferPointer { UTF8Validation.isValid($0) }
    // Zero bytes in valid UTF-8 indicate a wider charset.
    let found = isValid && !bytes.contains(0) ? nil : RecordedText.charset(of: bytes)
    guard let (charset, mark) = found else {
      guard isValid else { return nil }
      (self.bytes, mark, charset) = (bytes, [], "utf-8")
      return
    }
    let rest = Array(bytes[mark.count...])
    let text = rest.withUnsafeBufferPointer { try? TextCoding.decode($0, charset: charset) }
    guard let text, (try? TextCoding.encode(text, charset: charset)) == rest else { return nil }
    (self.bytes, self.mark, self.charset) = (Array(text.utf8), mark, charset)
  }

  /// Whether the charset is neither UTF-8 nor Latin-1. In other charsets, even ASCII characters are
  /// encoded differently.
  var isWide: Bool { !["utf-8", "iso-8859-1"].contains(charset) }

  /// Converts another text to the charset of this text; nil if the charset lacks a character.
  func bytes(of text: [UInt8]) -> [UInt8]? {
    (try? TextCoding.encode(String(decoding: text, as: UTF8.self), charset: charset)).map {
      mark + $0
    }
  }

  private static let marks: [(charset: String, mark: [UInt8])] = [
    ("utf-32le", [0xFF, 0xFE, 0, 0]), ("utf-32be", [0, 0, 0xFE, 0xFF]), ("utf-16le", [0xFF, 0xFE]),
    ("utf-16be", [0xFE, 0xFF]),
  ]

  /// Detects a charset by its byte-order mark or, as in JSON, by the zero bytes among the first
  /// characters.
  private static func charset(of bytes: [UInt8]) -> (charset: String, mark: [UInt8])? {
    if let marked = marks.first(where: { bytes.starts(with: $0.mark) }) { return marked }
    let zeros = bytes.prefix(4).map { $0 == 0 }
    switch zeros {
    case [false, true, true, true]: return ("utf-32le", [])
    case [true, true, true, false]: return ("utf-32be", [])
    case [false, true, false, true]: return ("utf-16le", [])
    case [true, false, true, false]: return ("utf-16be", [])
    default: return bytes.prefix(1000).contains(0) ? nil : ("iso-8859-1", [])
    }
  }
}

/// The value of a `Set-Cookie` header: name, value and attributes.
struct RecordedCookie {
  let value: Substring
  private let name: Substring
  private let rest: Substring

  init(_ text: String) {
    let pair = text.prefix { $0 != ";" }
    let start = pair.firstIndex(of: "=")
    name = start.map { pair[...$0] } ?? ""
    value = start.map { pair[pair.index(after: $0)...] } ?? pair
    rest = text[pair.endIndex...]
  }

  /// The cookie as text, with its value masked. If the value is a stand-in, it is kept.
  var masked: String {
    if value.isEmpty || CredentialMask.isMasked(value) { return String(name + value + rest) }
    return String(name) + CredentialMask.mark + rest
  }
}

/// Handles texts in which some parts have already been masked.
enum MaskedText {
  /// A character that replaces each mask while a text is parsed. It does not occur in other texts.
  private static let mark: Character = "\u{1}"

  /// Replaces each mask of a secret with a single character, because masks may contain spaces.
  static func bare(_ text: String) -> String {
    CredentialMask.replacingMasks(in: text) { _ in String(mark) }
  }

  /// Returns the texts between the masks in a text. If there are no masks, returns the whole text.
  /// Each of them may be a value to hide.
  static func parts(of text: String) -> [String] {
    let bare = bare(text)
    guard bare.contains(mark) else { return CredentialMask.isMasked(text) ? [] : [text] }
    return bare.split(separator: mark).map { part in
      part.trimmingPrefix { !isWord($0) }
    }.map { part in
      var part = part
      while let last = part.last, !isWord(last) { part.removeLast() }
      return String(part)
    }.filter { $0.utf8.count >= 4 && !CredentialMask.isMasked($0) }
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }
}

/// The encoded forms in which a text may occur: plain, in base64 of either alphabet at any offset,
/// and as hexadecimal digits. Each form is also computed for the text in Latin-1. Escaped forms are
/// not included, because the search decodes escapes.
struct HiddenForms {
  let all: [[UInt8]]

  /// The smallest length in bytes of a text whose base64 forms are searched for. For a shorter
  /// text, too few digits depend only on the text.
  private static let shortestInBase64 = 8

  init(_ text: [UInt8]) {
    var forms = HiddenForms.forms(of: text)
    if text.contains(where: { $0 > 0x7F }), let string = String(validating: text, as: UTF8.self),
      let latin1 = try? TextCoding.encode(string, charset: "iso-8859-1")
    {
      forms += HiddenForms.forms(of: latin1)
    }
    all = forms
  }

  private static func forms(of text: [UInt8]) -> [[UInt8]] {
    var forms = [text]
    if text.count >= HiddenForms.shortestInBase64 {
      for offset in 0..<3 {
        for alphabet in [Base64.Alphabet.standard, .url] {
          let form = HiddenForms.inside(text, after: offset, alphabet)
          if !forms.contains(form) { forms.append(form) }
        }
      }
      let digits = Hexadecimal.text(text)
      forms += [Array(digits.utf8), Array(digits.uppercased().utf8)]
    }
    return forms
  }

  /// Returns the base64 digits that depend only on `text`, and not on the bytes before and after
  /// it.
  ///
  /// - Parameter offset: The number of bytes before `text` in the first group of three bytes.
  private static func inside(
    _ text: [UInt8], after offset: Int, _ alphabet: Base64.Alphabet
  ) -> [UInt8] {
    let whole = Base64.encode(
      [UInt8](repeating: 0, count: offset) + text, alphabet: alphabet, isPadded: false)
    let first = (offset * 8 + 5) / 6
    let end = (offset + text.count) * 8 / 6
    return Array(whole[first..<end])
  }
}

/// A word in a recording that may be a token, although no name identifies it: its position, and its
/// first characters.
package struct Leftover: Sendable, Equatable, CustomStringConvertible {
  /// The number of the exchange in the recording, starting at 1.
  package let number: Int
  /// The part of the exchange that contains the word, such as `request URL` or `response body`.
  package let place: String
  /// The first characters of the word.
  package let beginning: String

  package var description: String { "exchange \(number), \(place): \(beginning)…" }

  /// Returns the words in a recording that may be tokens. Each word is listed once, with the
  /// position at which it first occurs.
  package static func all(in entries: [HAREntry]) -> [Leftover] {
    var seen: Set<String> = []
    var found: [Leftover] = []
    func look(_ text: String, _ number: Int, _ place: String) {
      for word in RandomText.words(in: text) where seen.insert(word).inserted {
        found.append(Leftover(number: number, place: place, beginning: String(word.prefix(6))))
      }
    }
    for (index, entry) in entries.enumerated() {
      look(entry.request.url, index + 1, "request URL")
      for header in entry.request.headers {
        look(String(escaping: header.value), index + 1, "request header '\(header.name)'")
      }
      look(String(escaping: entry.request.body?.bytes ?? []), index + 1, "request body")
      for header in entry.response?.headers ?? [] where header.name.lowercased() != "etag" {
        look(String(escaping: header.value), index + 1, "response header '\(header.name)'")
      }
      look(String(escaping: entry.response?.body?.bytes ?? []), index + 1, "response body")
      for (place, body) in [
        ("request body", entry.request.body), ("response body", entry.response?.body),
      ] {
        for number in NamedCredentials.numbers(inBody: body?.bytes ?? [])
        where seen.insert(number).inserted {
          found.append(
            Leftover(number: index + 1, place: place, beginning: String(number.prefix(2))))
        }
      }
    }
    return found
  }
}
