package import LullCore

/// The source text of a JSON value. It is part of a text that is known to be valid JSON.
///
/// The text is interpreted only when needed. So numbers keep the digits of the source, and repeated
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

  /// Creates the text of a value in a document. If the document was parsed from `body`, the value
  /// keeps its spelling in `body`. Otherwise the value is encoded.
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

  /// The elements of an array. For any other value, a list with the value itself as the only
  /// element.
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

  /// The members of an object, including members with repeated keys. Empty for any other value.
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

  /// If the value is an object, the last member with that name. If the value is an array, the
  /// element at that position; positions start at 1. Otherwise nil.
  package subscript(name: String) -> JSONText? {
    if kind == .object { return members.last { $0.key == name }?.value }
    guard kind == .array, let position = Int(name) else { return nil }
    let elements = lines
    return elements.indices.contains(position - 1) ? elements[position - 1] : nil
  }

  /// Returns the value of a field. `name` is one name, or several names separated by dots. A number
  /// in `name` is a position in a list, starting at 1. The rules are those of the option `-f` and
  /// of `lull.list`. (FLT-03)
  package func field(_ name: String) -> JSONText? {
    if let whole = self[name] { return whole }
    guard name.contains(".") else { return nil }
    var current: JSONText? = self
    for part in name.split(separator: ".") { current = current?[String(part)] }
    return current
  }

  /// The value on one line. A string is shown without quotes, null is an empty text, and any other
  /// value is JSON.
  package var plain: String {
    if let string { return string }
    if isNull { return "" }
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Calls `body` with each element of an array. For an object, calls `body` with each key,
  /// followed by the value for that key.
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

  /// Calls `body` with each token of the value. `next` is the first byte of the token that follows,
  /// or nil after the last token.
  package func forEachToken(_ body: (_ token: ArraySlice<UInt8>, _ next: UInt8?) -> Void) {
    var place = range.lowerBound
    while place < range.upperBound {
      let end = JSONScan.tokenEnd(bytes, place)
      let next = JSONScan.token(bytes, end)
      body(bytes[place..<end], next < range.upperBound ? bytes[next] : nil)
      place = next
    }
  }

  /// If the token is a string that contains escapes, returns that string. Returns nil for any other
  /// token.
  package static func withEscapes(_ token: ArraySlice<UInt8>) -> JSONElement? {
    guard token.first == UInt8(ascii: "\""), token.contains(UInt8(ascii: "\\")) else { return nil }
    return (try? JSONDocument(parsing: Array(token)))?.root
  }
}

extension JSONText {
  /// Returns the first part of a dotted field name that exists in no row. Returns nil if a row has
  /// the field. Also returns nil if the value that should contain the missing part is null or a
  /// list in every row.
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
