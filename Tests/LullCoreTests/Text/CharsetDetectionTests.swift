import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct CharsetDetectionTests {
  private func charset(_ text: String, named name: String? = nil, isXML: Bool = true) -> String {
    Array(text.utf8).withUnsafeBufferPointer {
      CharsetDetection.charset(of: $0, named: name, isXML: isXML)
    }
  }

  @Test(arguments: [
    ("", "utf-8"), ("<a/>", "utf-8"), (#"<?xml version="1.0" encoding="Latin1"?>"#, "latin1"),
    ("<?xml encoding='a'?>", "a"),
    ("<?xml version='1.0'\tencoding\r\n=\n'koi8-r' standalone='no'?>", "koi8-r"),
    (#"<?xml version="1.0" encoding=utf-7?>"#, "utf-8"),
    (#"<?xml version="1.0" encoding=""?>"#, "utf-8"),
    (#"<?xml version="1.0" encoding="a"#, "utf-8"),
    (#"<?xml version="1.0" myencoding="a"?>"#, "utf-8"),
    (#"<?xml version="1.0"?><a encoding="b">"#, "utf-8"), (#" <?xml encoding="a"?>"#, "utf-8"),
    (#"<?xml encoding="UTF-16"?>"#, "utf-8"), (#"<?xml encoding="utf-32le"?>"#, "utf-8"),
    ("<?xml =encoding=?>", "utf-8"), ("<?xmlencoding='a'?>", "utf-8"), ("<?xml", "utf-8"),
    ("<?xml" + String(repeating: " ", count: 2000) + "encoding='a'?>", "utf-8"),
  ])
  func `TXT-11 the declaration of XML is read`(text: String, expected: String) {
    #expect(charset(text) == expected)
    #expect(charset(text, isXML: false) == "utf-8")
    #expect(charset(text, named: "b") == "b")
  }

  @Test(
    arguments: [
      ([0xEF, 0xBB, 0xBF, 0x3C], "utf-8", "utf-8"), ([0xFF, 0xFE, 0x3C, 0], "utf-16", "utf-16"),
      ([0xFE, 0xFF, 0, 0x3C], "utf-16", "utf-16"), ([0xFF, 0xFE, 0, 0], "utf-32", "utf-32"),
      ([0, 0, 0xFE, 0xFF], "utf-32", "utf-32"), ([0, 0x3C, 0, 0x3F], "utf-16be", "utf-8"),
      ([0x3C, 0, 0x3F, 0], "utf-16le", "utf-8"), ([0xFF], "utf-8", "utf-8"),
    ] as [([UInt8], String, String)])
  func `TXT-11 marks and forms are known`(bytes: [UInt8], ofXML: String, ofOther: String) {
    bytes.withUnsafeBufferPointer {
      #expect(CharsetDetection.charset(of: $0, named: nil, isXML: true) == ofXML)
      #expect(CharsetDetection.charset(of: $0, named: nil, isXML: false) == ofOther)
    }
  }
}
