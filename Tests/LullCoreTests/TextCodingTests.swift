import Glibc
import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(10))) struct TextCodingTests {
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
}
