import LullLibC
import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20))) struct TextCodingTests {
  private func decode(_ bytes: [UInt8], _ charset: String) throws -> String {
    try bytes.withUnsafeBufferPointer { bytes throws(TextCodingError) in
      try TextCoding.decode(bytes, charset: charset)
    }
  }

  @Test(
    arguments: [
      (TextCoding.defaultCharset, [0xC3, 0xBD], "Ã½"),
      ("utf-8", [0xC3, 0xBD], "ý"),
      ("UTF-8", [0xC3, 0xBD], "ý"),
      ("utf8", [0xF0, 0x9F, 0x98, 0x80], "😀"),
      ("us-ascii", [0x61, 0x62], "ab"),
      ("ISO-8859-1", [0x80, 0xFF, 0x41], "\u{80}ÿA"),
      ("latin1", [0xE9], "é"),
      ("iso-8859-15", [0xA4], "€"),
      ("windows-1252", [0x80], "€"),
      ("CP1252", [0x80], "€"),
      ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
      ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
      ("koi8-r", [0xF0, 0xD2, 0xC9], "При"),
      ("gb18030", [0xD6, 0xD0], "中"),
      ("big5-hkscs", [0x88, 0x66], "Ê"),
    ] as [(String, [UInt8], String)])
  func `TXT-02 TXT-03 TXT-04 text is read in the charset it names`(
    charset: String, bytes: [UInt8], text: String
  ) throws {
    #expect(try decode(bytes, charset) == text)
  }

  @Test(
    arguments: [
      ("UTF-16", [0x00, 0x41, 0x30, 0x42], "Aあ"),
      ("utf-16", [0xFE, 0xFF, 0x00, 0x41], "A"),
      ("utf-16", [0xFF, 0xFE, 0x41, 0x00], "A"),
      ("utf-16", [0xD8, 0x3D, 0xDE, 0x00], "😀"),
      ("utf-16be", [0x00, 0x41], "A"),
      ("utf-16le", [0x41, 0x00], "A"),
      ("utf-16le", [0xFF, 0xFE, 0x41, 0x00], "\u{FEFF}A"),
      ("ucs-2", [0x00, 0x41], "A"),
      ("utf-32", [0, 0, 0, 0x41], "A"),
      ("utf-32", [0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0], "A"),
      ("utf-32", [0, 0, 0xFE, 0xFF, 0, 1, 0xF6, 0], "😀"),
      ("utf-32le", [0x41, 0, 0, 0], "A"),
      ("utf-8", [0xEF, 0xBB, 0xBF, 0x41], "A"),
      ("utf-16", [0xFF, 0xFE], ""),
    ] as [(String, [UInt8], String)])
  func `TXT-08 byte order comes from the mark, else is big-endian`(
    charset: String, bytes: [UInt8], text: String
  ) throws {
    // Scalars, because a byte-order mark left in place must count.
    #expect(Array(try decode(bytes, charset).unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test(arguments: ["utf-8", "us-ascii", "iso-8859-1", "utf-16", "utf-32", "euc-jp", "utf-7"])
  func `nothing reads as no text in any charset`(charset: String) throws {
    #expect(try decode([], charset) == "")
    // An absent buffer, as an empty one often is.
    let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    #expect(try TextCoding.decode(none, charset: charset) == "")
  }

  @Test(arguments: [
    "oodle", "", " ", "utf-8//TRANSLIT", "utf-8//", "utf-8/", "utf-8,", " utf-8", "utf-8 ",
    "euc-jp//IGNORE", "wchar_t", "WCHAR_T", "char", "internal", "utf-8\u{0}", "\u{212A}OI8-R",
    "../../x", String(repeating: "a", count: 1000),
  ])
  func `TXT-05 an unknown charset is told apart and named as given`(charset: String) {
    #expect(throws: TextCodingError.unknownCharset(name: charset)) {
      try decode([0x41], charset)
    }
    #expect(throws: TextCodingError.unknownCharset(name: charset)) {
      try TextCoding.encode("A", charset: charset)
    }
    #expect(TextCoding.canonicalName(charset) == nil)
  }

  @Test(
    arguments: [
      ("UTF-8", [0xD8], "utf-8"),
      ("utf-8", [0xED, 0xA0, 0x80], "utf-8"),
      ("utf-8", [0xC0, 0x80], "utf-8"),
      ("ascii", [0x80], "us-ascii"),
      ("EUC-JP", [0xC6], "euc-jp"),
      ("euc-jp", [0xFF, 0xFF], "euc-jp"),
      ("utf-16", [0x00], "utf-16"),
      ("utf-16", [0xD8, 0x00], "utf-16"),
      ("utf-16", [0xDC, 0x00, 0x00, 0x41], "utf-16"),
      ("utf-32", [0x00, 0x11, 0x00, 0x00], "utf-32"),
      ("utf-32", [0x00, 0x00, 0x41], "utf-32"),
      ("windows-1252", [0x81], "windows-1252"),
    ] as [(String, [UInt8], String)])
  func `TXT-06 bytes that are no text in the charset are undecodable, which names it`(
    charset: String, bytes: [UInt8], name: String
  ) {
    #expect(throws: TextCodingError.undecodable(encoding: name)) { try decode(bytes, charset) }
  }

  @Test(
    arguments: [
      ("utf-8", "Très", [0x54, 0x72, 0xC3, 0xA8, 0x73]),
      ("US-ASCII", "ab", [0x61, 0x62]),
      ("iso-8859-1", "é", [0xE9]),
      ("euc-jp", "日本", [0xC6, 0xFC, 0xCB, 0xDC]),
      ("iso-2022-jp", "日本", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42]),
      ("utf-16", "A", [0xFE, 0xFF, 0x00, 0x41]),
      ("utf-16le", "A", [0x41, 0x00]),
      ("utf-16be", "😀", [0xD8, 0x3D, 0xDE, 0x00]),
      ("utf-32", "A", [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41]),
      ("utf-32le", "A", [0x41, 0, 0, 0]),
      ("euc-jp", "", []),
      ("gb18030", "a\u{E0041}", [0x61, 0xD3, 0x36, 0x9C, 0x33]),
    ] as [(String, String, [UInt8])])
  func `REQ-07 REQ-08 text is written in the charset asked for`(
    charset: String, text: String, bytes: [UInt8]
  ) throws {
    #expect(try TextCoding.encode(text, charset: charset) == bytes)
  }

  @Test(arguments: [
    ("ascii", "é", "us-ascii"), ("latin1", "€", "iso-8859-1"), ("euc-jp", "😀", "euc-jp"),
    ("Shift_JIS", "é", "shift_jis"), ("iso-8859-15", "日", "iso-8859-15"),
    // iconv drops tag characters without an error.
    ("windows-1252", "a\u{E0041}", "windows-1252"),
  ])
  func `REQ-09 text the charset has no characters for is unencodable`(
    charset: String, text: String, name: String
  ) {
    #expect(throws: TextCodingError.unencodable(encoding: name)) {
      try TextCoding.encode(text, charset: charset)
    }
  }

  @Test(arguments: [
    ("UTF-8", "utf-8"), ("utf8", "utf-8"), ("Latin1", "iso-8859-1"), ("ASCII", "us-ascii"),
    ("ISO8859-2", "iso-8859-2"), ("iso_8859-15", "iso-8859-15"), ("CP1251", "windows-1251"),
    ("SJIS", "shift_jis"), ("eucJP", "euc-jp"), ("EUC-JP", "euc-jp"), ("GBK", "gbk"),
    ("KOI8-R", "koi8-r"), ("UTF-16", "utf-16"), ("Big5", "big5"), ("macintosh", "macintosh"),
  ])
  func `REQ-08 the name on the wire is IANA's, in lower case`(charset: String, name: String) {
    #expect(TextCoding.canonicalName(charset) == name)
  }

  @Test(arguments: ["utf-8", "utf-16", "utf-32", "euc-jp", "iso-2022-jp", "gb18030", "utf-7"])
  func `long text comes back whole through buffers of any fill`(charset: String) throws {
    for padding in 0..<8 {
      let text = String(repeating: "a", count: padding) + String(repeating: "日本語 ", count: 3000)
      let bytes = try TextCoding.encode(text, charset: charset)
      #expect(try decode(bytes, charset) == text)
    }
  }

  @Test func `descriptors are closed on every path`() throws {
    func useEveryPath(times: Int) {
      for _ in 0..<times {
        _ = try? decode([0xC6, 0xFC], "euc-jp")
        _ = try? decode([0xFF, 0xFF], "euc-jp")
        _ = try? TextCoding.encode("😀", charset: "euc-jp")
        _ = try? TextCoding.encode("a\u{E0041}", charset: "euc-jp")
        _ = TextCoding.canonicalName("euc-jp")
      }
    }
    useEveryPath(times: 10)
    // A descriptor holds 33 KB, so that a leak on any one path takes 198 MB a round, of which the
    // allocator may have had 64 MB already. Tests that run beside this one take some too, with each
    // thread, but not in every round.
    var growths: [Int] = []
    while growths.allSatisfy({ $0 >= 100_000_000 }), growths.count < 5 {
      let before = try addressSpace()
      useEveryPath(times: 6_000)
      growths.append(try addressSpace() - before)
    }
    #expect((growths.min() ?? .max) < 100_000_000, "\(growths)")
  }

  /// The size of this process's address space in bytes.
  private func addressSpace() throws -> Int {
    let file = open("/proc/self/statm", O_RDONLY)
    try #require(file >= 0)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    // Reads at most as much as the array holds.
    let count = read(file, &bytes, bytes.count)
    let pages = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: " ")
    return try #require(pages.first.flatMap { Int($0) }) * Int(getpagesize())
  }

  /// All labels of the standard's table but those of encodings that decode nothing (`replacement`) or are
  /// of the web alone (`x-user-defined`), with a text that tells the charset.
  @Test(
    arguments: [
      (
        "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8", [0xC3, 0xA9],
        "é"
      ),
      ("866 cp866 csibm866 ibm866", [0x80], "А"),
      (
        "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
        [0xA1], "Ą"
      ),
      (
        "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
        [0xA1], "Ħ"
      ),
      (
        "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
        [0xA2], "ĸ"
      ),
      (
        "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
        [0xA1], "Ё"
      ),
      (
        "arabic asmo-708 csisolatinarabic ecma-114 iso-8859-6 iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
        [0xC1], "ء"
      ),
      (
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
        [0xC1], "Α"
      ),
      (
        "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
        [0xE0], "א"
      ),
      ("csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6", [0xA2], "Ē"),
      ("iso-8859-13 iso8859-13 iso885913", [0xA8], "Ø"),
      ("iso-8859-14 iso8859-14 iso885914", [0xA1], "Ḃ"),
      ("csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15", [0xA4], "€"),
      ("iso-8859-16", [0xA4], "€"),
      ("cskoi8r koi koi8 koi8-r koi8_r koi8-ru koi8-u", [0xC1], "а"),
      ("csmacintosh mac macintosh x-mac-roman", [0x80], "Ä"),
      ("dos-874 windows-874 iso-8859-11 iso8859-11 iso885911 tis-620", [0xA1], "ก"),
      ("cp1250 windows-1250 x-cp1250", [0x8A], "Š"), ("cp1251 windows-1251 x-cp1251", [0xC0], "А"),
      ("cp1252 windows-1252 x-cp1252", [0x80], "€"), ("cp1253 windows-1253 x-cp1253", [0xC1], "Α"),
      ("cp1254 windows-1254 x-cp1254", [0xD0], "Ğ"), ("cp1255 windows-1255 x-cp1255", [0xE0], "א"),
      ("cp1256 windows-1256 x-cp1256", [0xC1], "ء"), ("cp1257 windows-1257 x-cp1257", [0xA8], "Ø"),
      ("cp1258 windows-1258 x-cp1258", [0xD0], "Đ"),
      (
        "csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5",
        [0xD0], "Ğ"
      ),
      ("x-mac-cyrillic x-mac-ukrainian", [0x80], "А"),
      (
        "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
        [0xD6, 0xD0],
        "中"
      ),
      ("big5 big5-hkscs cn-big5 csbig5 x-x-big5", [0xA4, 0xA4], "中"),
      ("cseucpkdfmtjapanese euc-jp x-euc-jp", [0xC6, 0xFC], "日"),
      ("csiso2022jp iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
      ("csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis", [0x93, 0xFA], "日"),
      (
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
        [0xB0, 0xA1], "가"
      ),
      ("unicodefffe utf-16be", [0x00, 0x41], "A"),
      ("unicodefeff utf-16le", [0x41, 0x00], "A"),
      ("csunicode iso-10646-ucs-2 ucs-2 unicode utf-16", [0xFF, 0xFE, 0x41, 0x00], "A"),
    ] as [(String, [UInt8], String)])
  func `TXT-13 labels of the web are known`(labels: String, bytes: [UInt8], text: String) throws {
    for label in labels.split(separator: " ") {
      #expect((try? decode(bytes, String(label))) == text, "\(label)")
      #expect(TextCoding.canonicalName(String(label)) != nil, "\(label)")
    }
    // An extension of EUC-KR that iconv has as CP949.
    #expect(try decode([0x81, 0x41], "ks_c_5601-1987") == "갂")
    #expect(try TextCoding.encode("갂", charset: "korean") == [0x81, 0x41])
  }
}
