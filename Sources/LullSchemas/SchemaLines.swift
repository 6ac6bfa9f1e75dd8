import LullCore

/// The positions of the entries in a schema file in which each entry is on its own line.
struct SchemaLines: Sendable {
  struct Entry: Sendable, Hashable {
    let line: Int
    /// The range of bytes in the file that contains the value of the entry.
    let value: Range<Int>
  }

  private struct Section: Sendable {
    var order: [String] = []
    var entries: [String: Entry] = [:]
  }

  private var sections: [String: Section] = [:]

  /// Finds the entries of a file. Returns nil if the file is invalid or has another form.
  init?(_ bytes: [UInt8]) {
    var section: String?
    var isOver = false
    var line = 0
    var start = 0
    while start < bytes.count {
      line += 1
      let end = SchemaLines.end(ofLineAt: start, in: bytes)
      let range = SchemaLines.trimmed(start..<end, in: bytes)
      start = end + 1
      if isOver {
        guard range.isEmpty else { return nil }
      } else if let name = section, range.first.map({ bytes[$0] }) == UInt8(ascii: "\"") {
        guard let (key, value) = SchemaLines.entry(range, in: bytes) else { return nil }
        let entry = Entry(line: line, value: value)
        if sections[name]?.entries.updateValue(entry, forKey: key) == nil {
          sections[name]?.order.append(key)
        }
      } else {
        guard let header = Header(Array(bytes[range]), isFirst: line == 1) else { return nil }
        section = header.section
        isOver = header.section == nil
        guard let section else { continue }
        guard sections[section] == nil else { return nil }
        sections[section] = Section()
      }
    }
    guard isOver else { return nil }
  }

  func names(in section: String) -> [String] { sections[section]?.order ?? [] }

  func entry(_ name: String, in section: String) -> Entry? { sections[section]?.entries[name] }

  var entries: [Entry] {
    sections.values.flatMap { $0.entries.values }.sorted { $0.line < $1.line }
  }

  /// Returns the number of the line that contains the byte at `offset`, starting at 1.
  static func line(of offset: Int, in bytes: [UInt8]) -> Int {
    bytes.prefix(offset).count { $0 == 10 } + 1
  }

  // MARK: Lines

  /// A line that contains no entry: a section begins or ends on it.
  private struct Header {
    /// The name of the section that begins on the line; nil at the end of the file.
    var section: String?

    init?(_ line: [UInt8], isFirst: Bool) {
      var text = line
      if !isFirst {
        guard line.first == UInt8(ascii: "}") else { return nil }
        if line.dropFirst() == [UInt8(ascii: "}")] { return }
        guard line.dropFirst().first == UInt8(ascii: ",") else { return nil }
        text = [UInt8(ascii: "{")] + line.dropFirst(2)
      }
      // The line is the last one and completes the JSON, such as `},"$defs":{}}`.
      if !isFirst, let whole = try? JSONDocument(parsing: text) {
        guard whole.root.pairs.allSatisfy({ $0.value.kind != .object || $0.value.count == 0 })
        else { return nil }
        return
      }
      guard text.last == UInt8(ascii: "{"),
        let opened = try? JSONDocument(parsing: text + Array("}}".utf8)),
        let last = opened.root.pairs.last, last.value.kind == .object
      else { return nil }
      section = last.key
    }
  }

  private static func end(ofLineAt start: Int, in bytes: [UInt8]) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      start + RawBytes.count(before: 10, in: UnsafeBufferPointer(rebasing: bytes[start...]))
    }
  }

  /// Returns the range of a line without a carriage return at its end.
  private static func trimmed(_ line: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
    guard let last = line.last, bytes[last] == 13 else { return line }
    return line.lowerBound..<last
  }

  /// Parses a line of the form `"name":value`, optionally followed by a comma. Returns the name and
  /// the range of the value.
  private static func entry(_ line: Range<Int>, in bytes: [UInt8]) -> (String, Range<Int>)? {
    var end = line.upperBound
    if bytes[end - 1] == UInt8(ascii: ",") { end -= 1 }
    var place = line.lowerBound + 1
    var hasEscapes = false
    while place < end, bytes[place] != UInt8(ascii: "\"") {
      if bytes[place] == UInt8(ascii: "\\") {
        hasEscapes = true
        place += 1
      }
      place += 1
    }
    guard place + 1 < end, bytes[place + 1] == UInt8(ascii: ":") else { return nil }
    let value = place + 2..<end
    guard hasEscapes else {
      return (String(decoding: bytes[line.lowerBound + 1..<place], as: UTF8.self), value)
    }
    let text = Array(bytes[line.lowerBound...place])
    guard let key = try? JSONDocument(parsing: text).root.string else { return nil }
    return (key, value)
  }
}
