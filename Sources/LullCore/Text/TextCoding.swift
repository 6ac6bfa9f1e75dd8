internal import CSimdjson
internal import LullSystem

/// Why bytes could not be decoded as text, or text could not be encoded.
package enum TextCodingError: Error, Sendable, Equatable {
  /// The charset is unknown. `name` is the name that the caller gave. (TXT-05)
  case unknownCharset(name: String)
  /// The bytes are not valid text in the charset. (TXT-06)
  case undecodable(encoding: String)
  /// The charset lacks a character of the text. (REQ-09)
  case unencodable(encoding: String)
}

/// Decodes and encodes text in the charsets of HTTP headers. The common charsets are implemented
/// here. All others are converted by iconv of the C library.
///
/// Charsets are identified by their IANA names, in any letter case. (TXT-04)
package enum TextCoding {
  /// The charset that is assumed for a text without a named charset that is not valid UTF-8.
  /// (TXT-02)
  package static let defaultCharset = "iso-8859-1"

  /// The charset that is assumed for a text without a named charset: UTF-8 if the bytes are valid
  /// UTF-8, and ISO-8859-1 otherwise. (TXT-02)
  package static func charset(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    UTF8Validation.isValid(bytes) ? "utf-8" : defaultCharset
  }

  /// Decodes bytes as text. (TXT-02 to TXT-06, TXT-08)
  ///
  /// If the charset does not define the byte order, a byte-order mark defines it. Without a mark,
  /// UTF-16 and UTF-32 are big-endian. A byte-order mark is removed, even in UTF-8.
  package static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, charset: String
  ) throws(TextCodingError) -> String {
    guard let name = resolvedName(charset) else { throw .unknownCharset(name: charset) }
    let text: String?
    switch name {
    case "utf-8":
      let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      text = String(validating: bytes[mark...], as: UTF8.self)
    case "us-ascii":
      text = bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
    case "iso-8859-1":
      text = decodeLatin1(bytes)
    case "utf-16", "utf-16be", "utf-16le":
      text = decodeUTF16(bytes, name)
    case "utf-32" where bytes.starts(with: [0xFF, 0xFE, 0, 0]):
      text = try convert(bytes[4...], from: "utf-32le", givenAs: charset)
    case "utf-32" where bytes.starts(with: [0, 0, 0xFE, 0xFF]):
      text = try convert(bytes[4...], from: "utf-32be", givenAs: charset)
    case "utf-32":
      text = try convert(bytes[...], from: "utf-32be", givenAs: charset)
    default:
      text = try convert(bytes[...], from: name, givenAs: charset)
    }
    guard let text else { throw .undecodable(encoding: name) }
    return text
  }

  /// Encodes text as bytes. (REQ-07 to REQ-09)
  ///
  /// UTF-16 and UTF-32 are written big-endian with a byte-order mark, so that any program decodes
  /// them correctly.
  package static func encode(
    _ text: String, charset: String
  ) throws(TextCodingError) -> [UInt8] {
    guard let name = resolvedName(charset) else { throw .unknownCharset(name: charset) }
    let bytes: [UInt8]?
    switch name {
    case "utf-8": bytes = Array(text.utf8)
    case "us-ascii": bytes = encodeBytes(text, below: 0x80)
    case "iso-8859-1": bytes = encodeBytes(text, below: 0x100)
    case "utf-16": bytes = encodeUTF16("\u{FEFF}" + text, bigEndian: true)
    case "utf-16be", "utf-16le": bytes = encodeUTF16(text, bigEndian: name == "utf-16be")
    case "utf-32": bytes = try convert("\u{FEFF}" + text, to: "utf-32be", givenAs: charset)
    default: bytes = try convert(text, to: name, givenAs: charset)
    }
    guard let bytes else { throw .unencodable(encoding: name) }
    return bytes
  }

  /// The IANA name of the charset in lower case, as in a header (REQ-08); nil for an unknown
  /// charset.
  package static func canonicalName(_ charset: String) -> String? {
    guard let name = resolvedName(charset) else { return nil }
    if builtIn.contains(name) { return name }
    // Only iconv can tell whether it knows a charset.
    return CharsetConverter(from: iconvNames[name] ?? name, to: "utf-8") == nil ? nil : name
  }

  // MARK: Names

  private static let builtIn: Set<String> = [
    "utf-8", "us-ascii", "iso-8859-1", "utf-16", "utf-16be", "utf-16le", "utf-32",
  ]

  /// The IANA name for each common alias of a charset.
  private static let aliases: [String: String] = [
    "utf8": "utf-8", "unicode-1-1-utf-8": "utf-8", "csutf8": "utf-8",
    "utf16": "utf-16", "csutf16": "utf-16", "iso-10646-ucs-2": "utf-16", "ucs-2": "utf-16",
    "csunicode": "utf-16", "unicode": "utf-16", "utf16be": "utf-16be", "utf16le": "utf-16le",
    "csutf16be": "utf-16be", "csutf16le": "utf-16le", "utf32": "utf-32", "csutf32": "utf-32",
    "ascii": "us-ascii", "us": "us-ascii", "iso646-us": "us-ascii", "iso-ir-6": "us-ascii",
    "ansi_x3.4-1968": "us-ascii", "ansi_x3.4-1986": "us-ascii", "iso_646.irv:1991": "us-ascii",
    "cp367": "us-ascii", "ibm367": "us-ascii", "csascii": "us-ascii",
    "latin1": "iso-8859-1", "l1": "iso-8859-1", "iso_8859-1:1987": "iso-8859-1",
    "iso-ir-100": "iso-8859-1", "cp819": "iso-8859-1", "ibm819": "iso-8859-1",
    "csisolatin1": "iso-8859-1",
    "latin2": "iso-8859-2", "l2": "iso-8859-2", "latin3": "iso-8859-3", "l3": "iso-8859-3",
    "latin4": "iso-8859-4", "l4": "iso-8859-4", "cyrillic": "iso-8859-5",
    "arabic": "iso-8859-6", "greek": "iso-8859-7", "hebrew": "iso-8859-8",
    "latin5": "iso-8859-9", "l5": "iso-8859-9", "latin6": "iso-8859-10", "l6": "iso-8859-10",
    "latin8": "iso-8859-14", "l8": "iso-8859-14", "latin-9": "iso-8859-15",
    "latin10": "iso-8859-16", "l10": "iso-8859-16",
    "sjis": "shift_jis", "shift-jis": "shift_jis", "x-sjis": "shift_jis",
    "ms_kanji": "shift_jis", "csshiftjis": "shift_jis", "cswindows31j": "windows-31j",
    "eucjp": "euc-jp", "x-euc-jp": "euc-jp", "cseucpkdfmtjapanese": "euc-jp",
    "extended_unix_code_packed_format_for_japanese": "euc-jp", "csiso2022jp": "iso-2022-jp",
    "euckr": "euc-kr", "cseuckr": "euc-kr", "csbig5": "big5", "csgb2312": "gb2312",
    "cp936": "gbk", "ms936": "gbk", "windows-936": "gbk", "csgb18030": "gb18030",
    "cskoi8r": "koi8-r", "cskoi8u": "koi8-u", "mac": "macintosh", "csmacintosh": "macintosh",
    "tis620": "tis-620", "cstis620": "tis-620",
    // Labels of the web (WHATWG Encoding, 4.2) that iconv knows by other names.
    "unicode11utf8": "utf-8", "unicode20utf8": "utf-8", "x-unicode20utf8": "utf-8",
    "unicodefeff": "utf-16le", "unicodefffe": "utf-16be",
    "sun_eu_greek": "iso-8859-7", "csisolatin9": "iso-8859-15",
    "csiso88598e": "iso-8859-8", "visual": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8", "csiso88598i": "iso-8859-8-i", "logical": "iso-8859-8-i",
    "koi": "koi8-r", "koi8_r": "koi8-r", "koi8": "koi8-r", "koi8-ru": "koi8-u",
    "dos-874": "windows-874", "x-mac-roman": "macintosh", "x-mac-ukrainian": "x-mac-cyrillic",
    "x-gbk": "gbk", "chinese": "gbk", "csgb231280": "gbk", "gb_2312": "gbk", "gb_2312-80": "gbk",
    "iso-ir-58": "gbk", "csiso58gb231280": "gbk", "x-x-big5": "big5",
    "korean": "windows-949", "ks_c_5601-1987": "windows-949", "ks_c_5601-1989": "windows-949",
    "ksc5601": "windows-949", "ksc_5601": "windows-949", "csksc56011987": "windows-949",
    "iso-ir-149": "windows-949",
  ]

  /// The names by which iconv knows some charsets, by IANA name. Contains the charsets that iconv
  /// does not know by their IANA names.
  private static let iconvNames: [String: String] = [
    "windows-949": "cp949", "x-mac-cyrillic": "mac-cyrillic", "iso-8859-8-i": "iso-8859-8",
  ]

  /// Returns the IANA name for an alias with a regular form, such as `cp1252`, `x-cp1252`,
  /// `iso8859-2`, `iso_8859-2` or `iso88592`.
  private static func patternName(_ name: String) -> String? {
    if name.hasPrefix("cp125"), name.utf8.count == 6 { return "windows-" + name.dropFirst(2) }
    if name.hasPrefix("x-cp125"), name.utf8.count == 8 { return "windows-" + name.dropFirst(4) }
    for prefix in ["iso8859-", "iso_8859-", "iso8859"] where name.hasPrefix(prefix) {
      let part = name.dropFirst(prefix.count)
      guard !part.isEmpty else { return nil }
      if part.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) { return "iso-8859-" + part }
    }
    return nil
  }

  /// Returns the name in lower case. Returns nil for names that are not charset names although
  /// iconv accepts them: names such as `utf-8//TRANSLIT`, which hides errors, and names for the
  /// default charset of this machine.
  private static func wellFormedName(_ charset: String) -> String? {
    let isWellFormed = charset.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
      case UInt8(ascii: "+"), UInt8(ascii: "("), UInt8(ascii: ")"): true
      default: false
      }
    }
    guard isWellFormed, !charset.isEmpty, charset.utf8.count <= 64 else { return nil }
    let name = charset.lowercased()
    return ["wchar_t", "char", "internal"].contains(name) ? nil : name
  }

  /// The IANA name in lower case; nil if the text can't be the name of a charset.
  private static func resolvedName(_ charset: String) -> String? {
    wellFormedName(charset).map { aliases[$0] ?? patternName($0) ?? $0 }
  }

  // MARK: Without iconv

  private static func decodeLatin1(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let wide = bytes.reduce(into: 0) { count, byte in count += byte < 0x80 ? 0 : 1 }
    return String(unsafeUninitializedCapacity: bytes.count + wide) { output in
      var next = 0
      for byte in bytes {
        if byte < 0x80 {
          output[next] = byte
          next += 1
        } else {
          output[next] = 0xC0 | byte >> 6
          output[next + 1] = 0x80 | byte & 0x3F
          next += 2
        }
      }
      return next
    }
  }

  private static func decodeUTF16(_ bytes: UnsafeBufferPointer<UInt8>, _ name: String) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    var isBigEndian = name != "utf-16le"
    var mark = 0
    if name == "utf-16", bytes.count >= 2 {
      if bytes[0] == 0xFF, bytes[1] == 0xFE { isBigEndian = false }
      if bytes[0] ^ bytes[1] == 1, bytes[0] >= 0xFE { mark = 2 }
    }
    let units = stride(from: mark, to: bytes.count, by: 2).lazy.map { offset -> UInt16 in
      let high = UInt16(bytes[isBigEndian ? offset : offset + 1])
      return high << 8 | UInt16(bytes[isBigEndian ? offset + 1 : offset])
    }
    return String(validating: units, as: UTF16.self)
  }

  private static func encodeBytes(_ text: String, below limit: UInt32) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      guard scalar.value < limit else { return nil }
      bytes.append(UInt8(scalar.value))
    }
    return bytes
  }

  private static func encodeUTF16(_ text: String, bigEndian: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * text.utf8.count)
    for unit in text.utf16 {
      let high = UInt8(unit >> 8)
      let low = UInt8(truncatingIfNeeded: unit)
      bytes.append(bigEndian ? high : low)
      bytes.append(bigEndian ? low : high)
    }
    return bytes
  }

  // MARK: With iconv

  /// Decodes bytes with iconv. Returns nil if the bytes are not valid text in the charset.
  private static func convert(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>, from charset: String, givenAs name: String
  ) throws(TextCodingError) -> String? {
    guard let converter = CharsetConverter(from: iconvNames[charset] ?? charset, to: "utf-8") else {
      throw .unknownCharset(name: name)
    }
    // The slice lies within the caller's buffer, which outlives the call.
    let input = UnsafeBufferPointer(rebasing: bytes)
    guard let text = converter.convert(input, lossless: false) else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  /// Encodes a text with iconv. Returns nil if the charset lacks a character of the text.
  private static func convert(
    _ text: String, to charset: String, givenAs name: String
  ) throws(TextCodingError) -> [UInt8]? {
    guard let converter = CharsetConverter(from: "utf-8", to: iconvNames[charset] ?? charset) else {
      throw .unknownCharset(name: name)
    }
    var copy = text
    guard let bytes = copy.withUTF8({ converter.convert($0, lossless: true) }) else { return nil }
    // iconv drops Unicode's tag characters without an error, so the result is decoded again.
    guard text.unicodeScalars.contains(where: { (0xE0000...0xE007F).contains($0.value) }) else {
      return bytes
    }
    let readBack = try bytes.withUnsafeBufferPointer { bytes throws(TextCodingError) in
      try convert(bytes[...], from: charset, givenAs: name)
    }
    return readBack.map { $0.utf8.elementsEqual(text.utf8) } == true ? bytes : nil
  }
}

/// Detects the charset of text types such as XML, JavaScript and YAML. (TXT-11)
package enum CharsetDetection {
  /// The maximum length of an XML declaration, in bytes.
  private static let declarationLimit = 1024

  /// Returns the charset `name` if it is given. Otherwise returns the charset of the byte-order
  /// mark or, without one, the charset declared in XML. Without either, returns UTF-8.
  package static func charset(
    of bytes: UnsafeBufferPointer<UInt8>, named name: String?, isXML: Bool
  ) -> String {
    if let name { return name }
    if let marked = marked(bytes) { return marked }
    return isXML ? declared(bytes) ?? "utf-8" : "utf-8"
  }

  private static func marked(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf-8" }
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      return "utf-32"
    }
    return bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) ? "utf-16" : nil
  }

  /// The charset in `<?xml … encoding="…"?>`, or UTF-16 if the declaration begins with bytes in
  /// UTF-16. (XML 1.0, appendix F)
  private static func declared(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if bytes.starts(with: [0, 0x3C, 0, 0x3F]) { return "utf-16be" }
    if bytes.starts(with: [0x3C, 0, 0x3F, 0]) { return "utf-16le" }
    guard bytes.starts(with: "<?xml".utf8) else { return nil }
    let text = bytes.prefix(declarationLimit)
    guard let end = text.firstIndex(of: UInt8(ascii: ">")),
      let name = value(of: "encoding", in: Array(text[5..<end]))
    else { return nil }
    // The declaration was read byte by byte, so the text can't be in UTF-16 or UTF-32.
    return name.hasPrefix("utf-16") || name.hasPrefix("utf-32") ? "utf-8" : name
  }

  /// Returns the quoted value after `name` and `=`, in lower case.
  private static func value(of name: String, in text: [UInt8]) -> String? {
    let words = text.split(
      separator: UInt8(ascii: "="), maxSplits: .max, omittingEmptySubsequences: false)
    for (before, behind) in zip(words, words.dropFirst()) {
      let left = before.reversed().drop { isSpace($0) }
      guard left.starts(with: name.utf8.reversed()),
        left.dropFirst(name.utf8.count).first.map(isSpace) == true
      else { continue }
      let right = behind.drop { isSpace($0) }
      guard let quote = right.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = right.dropFirst().firstIndex(of: quote)
      else { return nil }
      let value = right[(right.startIndex + 1)..<end]
      return value.isEmpty ? nil : String(escaping: value).lowercased()
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 9 || byte == 10 || byte == 13
  }
}

/// Checks whether bytes are UTF-8.
package enum UTF8Validation {
  /// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates, no incomplete
  /// characters.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    csj_is_utf8(bytes.baseAddress, bytes.count) != 0
  }

  /// The length in bytes of a UTF-8 character that begins with this byte; 0 if no character begins
  /// with it.
  package static func length(startingWith byte: UInt8) -> Int { csj_utf8_length(byte) }

  /// The length in bytes of the well-formed UTF-8 character at index `place`; 0 if there is none.
  package static func length(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let rest = UnsafeBufferPointer(rebasing: bytes[place...])
    return csj_utf8_sequence(rest.baseAddress, rest.count)
  }
}
