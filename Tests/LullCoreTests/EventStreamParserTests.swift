import Testing

@testable import LullCore

/// The HTML standard's rules for reading an event stream (9.2.6), by a table.
@Suite(.timeLimit(.minutes(20)))
struct EventStreamParserTests {
  private struct Case {
    let text: String
    /// `id|event|data` of each.
    let events: [String]
    var retry: Double?
    /// The id at the end, where no event shows it.
    var last: String?
  }

  private static func read(
    _ bytes: [UInt8], pieces size: Int, _ parser: inout EventStreamParser
  ) throws -> [String] {
    var events: [String] = []
    var start = 0
    while start < bytes.count {
      var piece = Array(bytes[start..<min(bytes.count, start + size)])
      start += size
      try parser.take(&piece)
      while let event = try parser.next() {
        events.append("\(event.id)|\(event.event)|\(event.text)")
      }
    }
    return events
  }

  private static func check(_ test: Case) throws {
    let bytes = Array(test.text.utf8)
    // In pieces of every size: lines may be split anywhere.
    for size in 1...max(1, bytes.count) {
      var parser = EventStreamParser()
      let events = try read(bytes, pieces: size, &parser)
      #expect(events == test.events, "\(test.text.debugDescription) in pieces of \(size)")
      #expect(parser.retry == test.retry, "\(test.text.debugDescription)")
      if let last = test.last { #expect(parser.lastEventID == last) }
    }
  }

  @Test func `STR-02 lines end with CR, LF or both, and a mark at the beginning does not count`()
    throws
  {
    for test in [
      Case(text: "data: a\n\n", events: ["|message|a"]),
      Case(text: "data: a\r\r", events: ["|message|a"]),
      Case(text: "data: a\r\n\r\n", events: ["|message|a"]),
      Case(text: "data: a\r\n\ndata: b\n\r\n", events: ["|message|a", "|message|b"]),
      Case(text: "data: a\rdata: b\ndata: c\r\n\r", events: ["|message|a\nb\nc"]),
      // CR LF is one end, LF CR are two.
      Case(text: "data: a\n\rdata: b\n\n", events: ["|message|a", "|message|b"]),
      Case(text: "\u{FEFF}data: a\n\n", events: ["|message|a"]),
      Case(text: "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", events: ["|message|b"]),
      Case(
        text: "data: a\n\n\u{FEFF}data: b\n\ndata: c\n\n", events: ["|message|a", "|message|c"]),
      Case(text: "\u{FEFF}\n\ndata: a\n\n", events: ["|message|a"]),
      Case(text: "", events: []), Case(text: "\n\n\r\r\n", events: []),
    ] { try Self.check(test) }
  }

  @Test func `STR-03 a line is a name and a value`() throws {
    for test in [
      Case(text: ":data: a\n: b\n:\ndata: c\n\n", events: ["|message|c"]),
      Case(text: "data:a\n\n", events: ["|message|a"]),
      Case(text: "data:  a \n\n", events: ["|message| a "]),
      Case(text: "data:\ta\n\n", events: ["|message|\ta"]),
      Case(text: "data: a:b: c\n\n", events: ["|message|a:b: c"]),
      Case(text: "Data: a\nDATA: b\ndatas: c\n data: d\ndata : e\ndat: f\n\n", events: []),
      Case(text: "x: 1\n1\ndata: a\n\n", events: ["|message|a"]),
      Case(text: "data: a\0b\n\n", events: ["|message|a\0b"]),
    ] { try Self.check(test) }
  }

  @Test func `STR-04 an empty line ends an event that has data`() throws {
    for test in [
      Case(text: "data: a\ndata: b\ndata:\ndata\n\n", events: ["|message|a\nb\n\n"]),
      Case(text: "data\n\n", events: ["|message|"]),
      Case(text: "data\ndata\n\n", events: ["|message|\n"]),
      Case(text: "event: x\n\ndata: a\n\n", events: ["|message|a"]),
      Case(text: "id: 7\n\n", events: [], last: "7"),
      Case(text: "id: 7\n\ndata: a\n\n", events: ["7|message|a"]),
      Case(text: "data: a\n\n\n\ndata: b\n\n", events: ["|message|a", "|message|b"]),
    ] { try Self.check(test) }
  }

  @Test func `STR-05 a name holds for one event`() throws {
    for test in [
      Case(
        text: "event: x\ndata: a\n\ndata: b\n\n", events: ["|x|a", "|message|b"]),
      Case(text: "event: x\nevent: y\ndata: a\n\n", events: ["|y|a"]),
      Case(text: "event: x\nevent\ndata: a\n\n", events: ["|message|a"]),
      Case(text: "data: a\nevent: é \n\n", events: ["|é |a"]),
    ] { try Self.check(test) }
  }

  @Test func `STR-06 an id holds until another`() throws {
    for test in [
      Case(text: "id: 1\ndata: a\n\ndata: b\n\n", events: ["1|message|a", "1|message|b"]),
      Case(text: "id: 1\nid: 2\ndata: a\n\n", events: ["2|message|a"]),
      Case(
        text: "id: 1\ndata: a\n\nid\ndata: b\n\n", events: ["1|message|a", "|message|b"], last: ""),
      Case(text: "id: 1\ndata: a\n\nid:\ndata: b\n\n", events: ["1|message|a", "|message|b"]),
      Case(text: "id: 1\nid: 2\0\ndata: a\n\n", events: ["1|message|a"], last: "1"),
      Case(text: "id: \0\ndata: a\n\n", events: ["|message|a"], last: ""),
      Case(text: "id:  é 1 \ndata: a\n\n", events: [" é 1 |message|a"]),
      // Of an event that is not whole it does not count yet. (STR-08)
      Case(text: "id: 1\ndata: a\n\nid: 2\ndata: b\n", events: ["1|message|a"], last: "1"),
    ] { try Self.check(test) }
  }

  @Test func `STR-07 retry is of digits only`() throws {
    for test in [
      Case(text: "retry: 1500\n", events: [], retry: 1.5),
      Case(text: "retry: 0\n", events: [], retry: 0),
      Case(text: "retry:007\n", events: [], retry: 0.007),
      Case(
        text: "retry: 20\nretry: x\nretry: -1\nretry: 1.5\nretry\nretry: 1e3\n", events: [],
        retry: 0.02),
      Case(text: "retry: ٣\nretry:  5\nretry: 5 \n", events: []),
      Case(text: "retry: 5", events: []),
      Case(text: "retry: 1" + String(repeating: "0", count: 6) + "\n", events: [], retry: 1000),
    ] { try Self.check(test) }
  }

  @Test func `STR-08 what the end of the body leaves unfinished is none`() throws {
    for text in ["data: a", "data: a\n", "data: a\r\n", "id: 1\nevent: x\ndata: a\n"] {
      try Self.check(Case(text: text, events: [], last: ""))
    }
    var parser = EventStreamParser()
    let first = try Self.read(
      Array("id: 1\ndata: a\n\nid: 2\nevent: x\ndata: b\r".utf8), pieces: 99, &parser)
    #expect(first == ["1|message|a"])
    parser.beginAgain()
    #expect(parser.lastEventID == "1")
    let second = try Self.read(Array("\u{FEFF}\ndata: c\n\n".utf8), pieces: 99, &parser)
    #expect(second == ["1|message|c"])
  }

  @Test func `STR-09 what is no UTF-8 is replaced`() throws {
    for (bytes, text) in [
      ([0x61, 0xFF, 0x62], "a\u{FFFD}b"), ([0xF0, 0x9F, 0x98], "\u{FFFD}"),
      ([0xE2, 0x28, 0xA1], "\u{FFFD}(\u{FFFD}"), ([0xC3, 0xA9], "é"),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ] as [([UInt8], String)] {
      for name in ["data", "event", "id"] {
        var parser = EventStreamParser()
        let all = Array("\(name): ".utf8) + bytes + Array("\ndata: x\n\n".utf8)
        let expected =
          switch name {
          case "data": "|message|\(text)\nx"
          case "event": "|\(text)|x"
          default: "\(text)|message|x"
          }
        #expect(try Self.read(all, pieces: 1, &parser) == [expected])
      }
    }
  }

  @Test func `STR-21 an item may have 16 MB, on one line or on many`() throws {
    let line = Array("data:".utf8) + Array(repeating: UInt8(ascii: "x"), count: 1 << 20) + [10]
    for (count, fits) in [(15, true), (17, false)] {
      var parser = EventStreamParser()
      var problem: StreamProblem?
      var size = 0
      do throws(StreamProblem) {
        for _ in 0..<count {
          var piece = line
          try parser.take(&piece)
          _ = try parser.next()
        }
        var end: [UInt8] = [10]
        try parser.take(&end)
        size = try parser.next()?.data.count ?? 0
      } catch { problem = error }
      #expect(problem == (fits ? nil : .tooLarge))
      if fits { #expect(size == count * ((1 << 20) + 1) - 1) }
    }
    var parser = EventStreamParser()
    #expect(throws: StreamProblem.tooLarge) {
      for _ in 0..<17 {
        var piece = Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
        try parser.take(&piece)
        _ = try parser.next()
      }
    }
  }
}

/// Rows of NDJSON as they come.
@Suite(.timeLimit(.minutes(20)))
struct RowParserTests {
  private func rows(
    _ text: String, pieces size: Int, areValues: Bool = false
  ) throws(StreamProblem) -> [Int] {
    var parser = RowParser(areValues: areValues)
    var rows: [Int] = []
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      var piece = Array(bytes[start..<min(bytes.count, start + size)])
      start += size
      try parser.take(&piece)
      while let row = try parser.next() { rows.append(row.root.int ?? -1) }
    }
    if let row = try parser.last() { rows.append(row.root.int ?? -1) }
    return rows
  }

  @Test func `STR-11 JSN-20 the items are the values of the lines`() throws {
    for (text, expected) in [
      ("", []), ("1\n2\n", [1, 2]), ("1\n2", [1, 2]), ("1\r\n\r\n \n\t2\r\n", [1, 2]),
      ("\u{FEFF}1\n2\n", [1, 2]), ("{}\n[1,\r2]\n3", [-1, -1, 3]), ("\n\n", []),
    ] {
      for size in 1...max(1, text.utf8.count) {
        #expect(try rows(text, pieces: size) == expected, "\(text.debugDescription) by \(size)")
      }
    }
  }

  @Test func `STR-15 JSN-20 values follow each other in any way`() throws {
    for (text, expected) in [
      ("", []), ("1\n2\n", [1, 2]), ("1 2", [1, 2]),
      ("{}{\"a\":\"}\\\"\"}\n[1,\n2]3", [-1, -1, -1, 3]),
      ("\u{FEFF}1\r\n2", [1, 2]), ("\u{1E}1\n\u{1E}{\n}\n\u{1E}\"a b\"\n", [1, -1, -1]),
      ("\"\\u00e9\\\\\"null true", [-1, -1, -1]), (" \n\u{1E}\n ", []),
    ] {
      for size in 1...max(1, text.utf8.count) {
        let found = try rows(text, pieces: size, areValues: true)
        #expect(found == expected, "\(text.debugDescription) by \(size)")
      }
      let whole = Array(text.utf8).withUnsafeBufferPointer { JSONValueScan.values($0).count }
      #expect(whole == expected.count)
    }
    for (text, value) in [("1 x 2", 2), ("{}{", 2), ("\u{1E}{\"a\u{1E}2", 1), ("]", 1)] {
      do throws(StreamProblem) {
        _ = try rows(text, pieces: 2, areValues: true)
        Issue.record("\(text) was read")
      } catch {
        guard case .malformed(value, _) = error else {
          Issue.record("\(text): \(error)")
          continue
        }
      }
    }
  }

  @Test func `STR-11 a line that is not JSON is named`() {
    for (text, line) in [("1\nx\n", 2), ("1\n\n2 3", 3), ("[1,\n2]\n", 1), ("1\n\u{FEFF}2\n", 2)] {
      do throws(StreamProblem) {
        _ = try rows(text, pieces: 3)
        Issue.record("\(text.debugDescription) was taken")
      } catch {
        guard case .malformed(line, _) = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }
}
