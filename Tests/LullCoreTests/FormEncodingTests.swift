import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct FormEncodingTests {
  private func encode(_ pairs: [(String, String)]) throws -> String {
    let bytes = try FormEncoding.encode(
      pairs.map { (name: Array($0.0.utf8), value: Array($0.1.utf8)) })
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `REQ-15 the pairs are joined in order of their names`() throws {
    let body = try encode([("foo", "bar"), ("how", "now"), ("brown", "cow")])
    #expect(body == "brown=cow&foo=bar&how=now")
  }

  @Test(arguments: [
    ("azAZ09-._~/?", "azAZ09-._~/?"), ("a b", "a%20b"), ("a=b&c", "a%3Db%26c"),
    (":#[]@!$&'()*+,;=", "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
    ("%\"<>\\^`{|}", "%25%22%3C%3E%5C%5E%60%7B%7C%7D"), ("très", "tr%C3%A8s"),
    ("\0\n\u{7F}", "%00%0A%7F"), ("😀", "%F0%9F%98%80"), ("", ""),
  ])
  func `REQ-16 REQ-17 letters, digits and - . _ ~ / ? stay bare, all else is escaped`(
    text: String, escaped: String
  ) throws {
    #expect(try encode([(text, text)]) == "\(escaped)=\(escaped)")
  }

  @Test func `REQ-18 pairs are sorted by their escaped text`() throws {
    // Bare, `é` would come last and `a b` before `a-b`.
    #expect(
      try encode([("z", "1"), ("é", "2"), ("a-b", "3"), ("a b", "4"), ("a", "6"), ("a", "5")])
        == "%C3%A9=2&a%20b=4&a-b=3&a=5&a=6&z=1")
  }

  @Test func `REQ-19 a name or value that is no UTF-8 is refused, and named`() {
    let broken: [UInt8] = [0x61, 0xFF]
    for pair in [(name: [0x62], value: broken), (name: broken, value: [0x62])] {
      let error = #expect(throws: FormEncodingError.self) { try FormEncoding.encode([pair]) }
      #expect(error?.bytes == broken)
      guard case .notURLEncodable(let string)? = error?.cause else {
        Issue.record("cause \(error?.cause.kind ?? "nil")")
        continue
      }
      #expect(string.bytes == broken)
    }
  }

  @Test func `REQ-20 no parameters make an empty body`() throws {
    #expect(try encode([]) == "")
  }
}
