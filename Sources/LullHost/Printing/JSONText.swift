package import LullCore

/// JSON as it is written: a value within a text that is known to be valid.
///
/// Nothing is interpreted before somebody asks, so that numbers keep their digits and repeated keys are
/// all there.
package struct JSONText: Sendable {
  package enum Kind {
    case atom, number, string, array, object
  }

  package let bytes: [UInt8]
  /// From the first byte of the value to behind its last one.
  package let range: Range<Int>

  /// The value as a document has it.
  package init(_ element: JSONElement) {
    var bytes: [UInt8] = []
    element.encode(into: &bytes)
    self.bytes = bytes
    range = bytes.indices
  }

  /// The value as the body spelled it, if that is what the document came from; else as above.
  package init(_ element: JSONElement, spelledBy body: [UInt8]?) {
    guard let body, JSONScan.isUTF8(body), let document = try? JSONDocument(parsing: body),
      document.root == element
    else {
      self.init(element)
      return
    }
    self.init(valid: body)
  }

  /// What these bytes hold: JSON in UTF-8 that has been read before.
  package init(valid bytes: [UInt8]) {
    self.init(bytes, at: JSONScan.start(bytes))
  }

  private init(_ bytes: [UInt8], at start: Int) {
    self.bytes = bytes
    range = start..<JSONScan.end(bytes, start)
  }

  package var kind: Kind {
    guard let first = bytes[range].first else { return .atom }
    switch first {
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "{"): return .object
    default: return JSONScan.beginsNumber(first) ? .number : .atom
    }
  }

  package var isNull: Bool { bytes[range].first == UInt8(ascii: "n") }

  /// The text of a string, nil of anything else.
  package var string: String? {
    guard kind == .string else { return nil }
    let inner = bytes[range].dropFirst().dropLast()
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    return (try? JSONDocument(parsing: Array(bytes[range])))?.root.string
  }

  /// The elements of an array, or of anything else itself.
  package var lines: [JSONText] {
    guard kind == .array else { return [self] }
    var elements: [JSONText] = []
    forEachPart { elements.append($0) }
    return elements
  }

  /// How many those are.
  package var count: Int {
    guard kind == .array else { return 1 }
    var count = 0
    forEachPart { _ in count += 1 }
    return count
  }

  /// The members of an object, repeated ones too; nothing of anything else.
  package var members: [(key: String, value: JSONText)] {
    guard kind == .object else { return [] }
    var members: [(key: String, value: JSONText)] = []
    var key: String?
    forEachPart { part in
      if let name = key {
        members.append((name, part))
        key = nil
      } else {
        key = part.string ?? ""
      }
    }
    return members
  }

  /// The last member of that name, or the element at that position, from 1 on.
  package subscript(name: String) -> JSONText? {
    if kind == .object { return members.last { $0.key == name }?.value }
    guard kind == .array, let position = Int(name) else { return nil }
    let elements = lines
    return elements.indices.contains(position - 1) ? elements[position - 1] : nil
  }

  /// What a field leads to: a name as it stands, or names with dots between them, of which numbers are
  /// positions in lists, from 1 on. As `-f` and `lull.list` have it. (FLT-03)
  package func field(_ name: String) -> JSONText? {
    if let whole = self[name] { return whole }
    guard name.contains(".") else { return nil }
    var current: JSONText? = self
    for part in name.split(separator: ".") { current = current?[String(part)] }
    return current
  }

  /// On one line: text without quotes, nothing for null, anything else as JSON.
  package var plain: String {
    if let string { return string }
    if isNull { return "" }
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Elements, or keys and values in turn.
  private func forEachPart(_ body: (JSONText) -> Void) {
    var place = JSONScan.token(bytes, range.lowerBound + 1)
    while place < range.upperBound - 1 {
      let part = JSONText(bytes, at: place)
      body(part)
      place = JSONScan.token(bytes, part.range.upperBound)
      if bytes[place] == UInt8(ascii: ",") || bytes[place] == UInt8(ascii: ":") {
        place = JSONScan.token(bytes, place + 1)
      }
    }
  }

  // MARK: Writing

  /// On one line. Strings have no more escapes than needed.
  package func write(to output: inout [UInt8]) {
    var writer = JSONWriter()
    write(to: &writer)
    output += writer.output
  }

  /// As the writer has it. Strings have no more escapes than needed.
  package func write(to writer: inout JSONWriter) {
    forEachToken { token, _ in
      guard let string = JSONText.withEscapes(token) else { return writer.write(token: token) }
      writer.write(string)
    }
  }

  /// Each token, and the first byte of the next one.
  package func forEachToken(_ body: (_ token: ArraySlice<UInt8>, _ next: UInt8?) -> Void) {
    var place = range.lowerBound
    while place < range.upperBound {
      let end = JSONScan.tokenEnd(bytes, place)
      let next = JSONScan.token(bytes, end)
      body(bytes[place..<end], next < range.upperBound ? bytes[next] : nil)
      place = next
    }
  }

  /// What a token means that is a string with escapes.
  package static func withEscapes(_ token: ArraySlice<UInt8>) -> JSONElement? {
    guard token.first == UInt8(ascii: "\""), token.contains(UInt8(ascii: "\\")) else { return nil }
    return (try? JSONDocument(parsing: Array(token)))?.root
  }
}

extension JSONText {
  /// The part of a dotted name of a field that no row has; nil if a row has the field, or what would
  /// have it is null or a list in all of them.
  package static func missingPart(
    of name: String, in rows: [JSONText]
  ) -> LineWarnings.MissingPart? {
    guard !rows.contains(where: { $0.field(name) != nil }) else { return nil }
    let parts = name.split(separator: ".").map(String.init)
    var reached = -1
    var holder: JSONText?
    for row in rows where row.kind == .object {
      var current = row
      var count = 0
      while count < parts.count, let next = current[parts[count]] {
        current = next
        count += 1
      }
      let isRecord = current.kind == .object && count < parts.count
      if count > reached {
        reached = count
        holder = isRecord ? current : nil
      } else if count == reached, holder == nil, isRecord {
        holder = current
      }
    }
    guard let holder else { return nil }
    return LineWarnings.MissingPart(
      name: parts[reached], head: parts[..<reached].joined(separator: "."),
      tail: parts[(reached + 1)...].joined(separator: "."), known: holder.members.map(\.key))
  }
}
