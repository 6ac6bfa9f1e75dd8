package import LullCore

/// JSON source text: a value within a text that is known to be valid JSON.
///
/// The text is interpreted only when needed. So numbers have the digits of the source, and repeated
/// keys are preserved.
package struct JSONText: Sendable {
  package enum Kind {
    case atom, number, string, array, object
  }

  package let bytes: [UInt8]
  /// The range of the value's bytes, from the first byte to the end of the last one.
  package let range: Range<Int>

  /// Creates the text of a value in a document by encoding the value.
  package init(_ element: JSONElement) {
    var bytes: [UInt8] = []
    element.encode(into: &bytes)
    self.bytes = bytes
    range = bytes.indices
  }

  /// Creates the text of a value in a document. If the document was parsed from `body`, the text is
  /// the value as written there; otherwise the value is encoded.
  package init(_ element: JSONElement, spelledBy body: [UInt8]?) {
    guard let body, JSONScan.isUTF8(body), let document = try? JSONDocument(parsing: body),
      document.root == element
    else {
      self.init(element)
      return
    }
    self.init(valid: body)
  }

  /// Creates a value from its bytes, which are UTF-8 and already known to be valid JSON.
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

  /// The text of a string; nil for any other value.
  package var string: String? {
    guard kind == .string else { return nil }
    let inner = bytes[range].dropFirst().dropLast()
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    return (try? JSONDocument(parsing: Array(bytes[range])))?.root.string
  }

  /// The elements of an array; for any other value, only the value itself.
  package var lines: [JSONText] {
    guard kind == .array else { return [self] }
    var elements: [JSONText] = []
    forEachPart { elements.append($0) }
    return elements
  }

  /// The number of `lines`.
  package var count: Int {
    guard kind == .array else { return 1 }
    var count = 0
    forEachPart { _ in count += 1 }
    return count
  }

  /// The members of an object, including those with repeated keys; empty for any other value.
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

  /// The last member of an object with that name, or the element of an array at that position,
  /// which starts at 1.
  package subscript(name: String) -> JSONText? {
    if kind == .object { return members.last { $0.key == name }?.value }
    guard kind == .array, let position = Int(name) else { return nil }
    let elements = lines
    return elements.indices.contains(position - 1) ? elements[position - 1] : nil
  }

  /// Returns the value of a field. The name is one name or several names separated by dots, and
  /// numbers are positions in lists, starting at 1. The rules are those of `-f` and `lull.list`.
  /// (FLT-03)
  package func field(_ name: String) -> JSONText? {
    if let whole = self[name] { return whole }
    guard name.contains(".") else { return nil }
    var current: JSONText? = self
    for part in name.split(separator: ".") { current = current?[String(part)] }
    return current
  }

  /// The value on one line. A string has no quotes, null is empty text, and any other value is
  /// JSON.
  package var plain: String {
    if let string { return string }
    if isNull { return "" }
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Calls `body` with each element of an array, or with each key and each value of an object in
  /// turn.
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

  /// Writes the value on one line. Strings have only the necessary escapes.
  package func write(to output: inout [UInt8]) {
    var writer = JSONWriter()
    write(to: &writer)
    output += writer.output
  }

  /// Writes the value in the writer's format. Strings have only the necessary escapes.
  package func write(to writer: inout JSONWriter) {
    forEachToken { token, _ in
      guard let string = JSONText.withEscapes(token) else { return writer.write(token: token) }
      writer.write(string)
    }
  }

  /// Calls `body` with each token of the value, and with the first byte of the token that follows
  /// it.
  package func forEachToken(_ body: (_ token: ArraySlice<UInt8>, _ next: UInt8?) -> Void) {
    var place = range.lowerBound
    while place < range.upperBound {
      let end = JSONScan.tokenEnd(bytes, place)
      let next = JSONScan.token(bytes, end)
      body(bytes[place..<end], next < range.upperBound ? bytes[next] : nil)
      place = next
    }
  }

  /// Returns the string in a token that is a string with escapes; nil for any other token.
  package static func withEscapes(_ token: ArraySlice<UInt8>) -> JSONElement? {
    guard token.first == UInt8(ascii: "\""), token.contains(UInt8(ascii: "\\")) else { return nil }
    return (try? JSONDocument(parsing: Array(token)))?.root
  }
}

extension JSONText {
  /// Returns the first part of a dotted field name that exists in no row. Returns nil if a row has
  /// the field, or if the parent of that part is null or a list in all rows.
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
