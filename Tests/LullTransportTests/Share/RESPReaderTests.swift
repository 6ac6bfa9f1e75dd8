import LullTestSupport
import Testing

@testable import LullTransport

/// What servers of the Redis kind say, and what others do who stand in their place.
@Suite(.timeLimit(.minutes(20)))
struct RESPReaderTests {
  private func read(
    _ bytes: [UInt8], inPiecesOf size: Int = 1 << 20, mostBytes: Int = 1 << 20
  ) throws -> [RESPValue] {
    #expect(RESPReader.problem == nil)
    let reader = try #require(RESPReader(mostBytes: mostBytes, mostParts: 1000))
    var values: [RESPValue] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      try rest.prefix(size).withUnsafeBytes { try reader.feed($0) }
      rest = rest.dropFirst(size)
      while let value = try reader.next() { values.append(value) }
    }
    return values
  }

  private func read(_ text: String, inPiecesOf size: Int = 1 << 20) throws -> [RESPValue] {
    try read(Array(text.utf8), inPiecesOf: size)
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `SHR-06 answers are read as they come, in whatever pieces`(_ size: Int) throws {
    let text =
      "+OK\r\n:-42\r\n$5\r\na\r\nbc\r\n$-1\r\n*3\r\n:1\r\n*2\r\n+in\r\n$0\r\n\r\n-ERR no\r\n*0\r\n*-1\r\n"
    #expect(
      try read(text, inPiecesOf: size) == [
        .status("OK"), .integer(-42), .bytes(Array("a\r\nbc".utf8)), .null,
        .array([
          .integer(1), .array([.status("in"), .bytes([])]), .failure("ERR no"),
        ]),
        .array([]), .null,
      ])
  }

  @Test func `SHR-07 commands are sent with whatever bytes their words have`() throws {
    let words: [[UInt8]] = [Array("SET".utf8), [0, 13, 10, 255], []]
    let wire = try #require(RESPCommand(words).wire)
    #expect(
      wire == Array("*3\r\n$3\r\nSET\r\n$4\r\n".utf8) + [0, 13, 10, 255]
        + Array("\r\n$0\r\n\r\n".utf8))
    #expect(try read(wire) == [.array(words.map { .bytes($0) })])
  }

  @Test(arguments: [
    "HTTP/1.1 400 Bad Request\r\n\r\n", "*1001\r\n", "*2147483647\r\n", "*-7\r\n",
    "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", ":1x\r\n",
    "$99999999999999999999\r\n", "$-2\r\n",
    String(repeating: "*2\r\n+a\r\n", count: 3) + "\u{0}",
  ])
  func `SHR-08 what is no answer, or one of too many parts, is refused`(_ text: String) throws {
    #expect(throws: RESPReader.Failure.self) { try read(text + "xyz\r\nxyz\r\n") }
  }

  @Test func `SHR-09 an answer without end is refused`() throws {
    #expect(throws: RESPReader.Failure.self) {
      try read(
        Array("$900000000\r\n".utf8) + [UInt8](repeating: 97, count: 2 << 20), inPiecesOf: 1000)
    }
    #expect(throws: RESPReader.Failure.self) {
      try read([UInt8](repeating: 43, count: 2 << 20), inPiecesOf: 1000)
    }
    let many =
      Array("*900\r\n".utf8)
      + (0..<900).flatMap { _ in
        Array("$2000\r\n".utf8) + [UInt8](repeating: 97, count: 2000) + [13, 10]
      }
    #expect(throws: RESPReader.Failure.self) { try read(many, inPiecesOf: 1000) }
  }

  @Test func `SHR-10 no bytes whatever do any harm`() throws {
    var random = SeededGenerator(seed: 20)
    let pieces = [
      "*", "$", ":", "-", "+", "\r\n", "1", "2", "-1", "99", "a", "\u{0}", "*3\r\n", "$1\r\n",
    ]
    for round in 0..<4000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1..<40, using: &random) {
        if round % 2 == 0 {
          bytes += pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8
        } else {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        }
      }
      _ = try? read(bytes, inPiecesOf: Int.random(in: 1..<9, using: &random))
    }
  }
}
