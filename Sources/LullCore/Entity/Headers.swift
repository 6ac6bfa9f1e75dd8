/// HTTP headers. Names are case-insensitive, and the order of the headers is kept. Repeated headers
/// are joined only when they are read. (ENT-07 to ENT-10)
///
/// The headers are stored as a single byte array of `name: value` lines with lower-case names. A
/// response's headers thus take one allocation, and no value is decoded before it is read. Values
/// need not be valid UTF-8: they are stored and sent unchanged, and `bytes(_:)` returns them. In a
/// string, invalid bytes are written as escapes such as `\xE9`.
public struct Headers: Sendable, Equatable {
  private(set) var lines: [UInt8] = []

  /// Makes an empty list of headers.
  public init() {}

  /// Makes headers in the order of `pairs`. As with `add`, pairs whose name is not a token are
  /// omitted.
  public init(_ pairs: some Sequence<(String, String)>) {
    for (name, value) in pairs { add(name, value) }
  }

  /// Whether there are no headers.
  public var isEmpty: Bool { lines.isEmpty }

  /// The value of a header. Repeated headers are joined with `, ` in order of arrival; for
  /// `set-cookie`, the first value is returned. Setting a value replaces all headers with this
  /// name, and setting nil removes them.
  public subscript(_ name: String) -> String? {
    get {
      guard !lines.isEmpty else { return nil }
      var joined: String?
      var name = name
      name.withUTF8 { wanted in
        forEachValue(of: wanted) { value in
          let text = String(escaping: value)
          guard let first = joined else {
            joined = text
            return true
          }
          if Headers.equal(Headers.setCookie, wanted) { return false }
          joined = first + ", " + text
          return true
        }
      }
      return joined
    }
    set {
      remove(name)
      if let newValue { add(name, newValue) }
    }
  }

  /// Every value of the header `name`, in order.
  public func values(_ name: String) -> [String] {
    var found: [String] = []
    var name = name
    name.withUTF8 { wanted in
      forEachValue(of: wanted) { value in
        found.append(String(escaping: value))
        return true
      }
    }
    return found
  }

  /// The value of the header `name`, as bytes: the same value that the subscript returns as a
  /// string.
  public func bytes(_ name: String) -> [UInt8]? { bytes(of: Array(name.utf8)) }

  /// The value of a header, as bytes. The name need not be valid text.
  package func bytes(of name: [UInt8]) -> [UInt8]? {
    guard !lines.isEmpty else { return nil }
    var joined: [UInt8]?
    name.withUnsafeBufferPointer { wanted in
      forEachValue(of: wanted) { value in
        guard let first = joined else {
          joined = Array(value)
          return true
        }
        if Headers.equal(Headers.setCookie, wanted) { return false }
        joined = first + Array(", ".utf8) + value
        return true
      }
    }
    return joined
  }

  /// Every value of the header `name`, in order, as bytes.
  package func byteValues(of name: [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    name.withUnsafeBufferPointer { wanted in
      forEachValue(of: wanted) { value in
        found.append(Array(value))
        return true
      }
    }
    return found
  }

  /// Calls `body` with the bytes of the first value of `name`, and returns the result of `body`. No
  /// string is made. Returns nil if there is no such header.
  package func withFirstValue<R>(_ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> R)
    -> R?
  {
    let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    var result: R?
    forEachValue(of: wanted) { value in
      result = body(value)
      return false
    }
    return result
  }

  /// Adds a header after the others. A header whose name is not a token, for example with a space
  /// or a colon, is not added. Line breaks in a value are removed.
  public mutating func add(_ name: String, _ value: String) { add(name, bytes: value.utf8) }

  /// Adds a header with a value that need not be valid text.
  public mutating func add(_ name: String, bytes value: some Sequence<UInt8>) {
    if Headers.isName(name) { append(name, value) }
  }

  /// Appends a header line without checking that `name` is a token. Line breaks in the value are
  /// omitted.
  ///
  /// - Returns: false if the value contained line breaks.
  @discardableResult
  mutating func append(_ name: String, _ value: some Sequence<UInt8>) -> Bool {
    for byte in name.utf8 { lines.append(Headers.lowercased(byte)) }
    lines.append(UInt8(ascii: ":"))
    // A line break inside a value would start another header on the wire.
    var isWhole = true
    for byte in value {
      if byte == 10 || byte == 13 || byte == 0 { isWhole = false } else { lines.append(byte) }
    }
    lines.append(10)
    return isWhole
  }

  /// Sets a header as the subscript does, but to a value that need not be valid text.
  public mutating func set(_ name: String, bytes value: some Sequence<UInt8>) {
    remove(name)
    add(name, bytes: value)
  }

  /// Removes every header with this name, in any letter case.
  public mutating func remove(_ name: String) {
    var name = name
    name.withUTF8 { wanted in
      // In most calls, the header to set does not exist yet.
      guard holds(wanted) else { return }
      var kept: [UInt8] = []
      kept.reserveCapacity(lines.count)
      forEachLine { lineName, value in
        if !Headers.equal(lineName, wanted) {
          kept += lineName
          kept.append(UInt8(ascii: ":"))
          kept += value
          kept.append(10)
        }
      }
      lines = kept
    }
  }

  /// Replaces all values of the header `name` with the values of this header in `other`.
  mutating func take(_ name: String, from other: Headers) {
    remove(name)
    for value in other.byteValues(of: Array(name.utf8)) { add(name, bytes: value) }
  }

  /// The headers one by one, with their names in lower case.
  public var pairs: [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    forEachLine { name, value in
      pairs.append((String(escaping: name), String(escaping: value)))
    }
    return pairs
  }

  /// The headers one by one as bytes, with their names in lower case.
  package var bytePairs: [(name: [UInt8], value: [UInt8])] {
    var pairs: [(name: [UInt8], value: [UInt8])] = []
    forEachLine { name, value in pairs.append((Array(name), Array(value))) }
    return pairs
  }

  /// Parses a received header line, `Name: value`, with or without its line end, and appends the
  /// header. Returns false if there is no colon.
  package mutating func appendReceivedLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    let colon = RawBytes.count(before: UInt8(ascii: ":"), in: line)
    guard colon > 0, colon < line.count else { return false }
    var start = colon + 1
    var end = line.count
    while start < end, line[start] == 32 || line[start] == 9 { start += 1 }
    while end > start, Headers.isSpace(line[end - 1]) { end -= 1 }
    // Appends in one piece and without reserving, so that the array grows by doubling, not line by
    // line. The copy starts so far into the line that the value lands at its final position. The
    // name then overwrites the bytes before the value. The last byte leaves room for the line end.
    let first = lines.count
    let space = start - colon - 1
    lines.append(contentsOf: UnsafeBufferPointer(rebasing: line[space..<min(end + 1, line.count)]))
    if end == line.count { lines.append(10) }
    lines.withUnsafeMutableBufferPointer { lines in
      guard let own = lines.baseAddress.map({ $0 + first }), let name = line.baseAddress else {
        return
      }
      for index in 0..<colon { own[index] = Headers.lowercased(name[index]) }
      own[colon] = UInt8(ascii: ":")
      own[end - space] = 10
    }
    return true
  }

  package mutating func removeAll() { lines.removeAll(keepingCapacity: true) }

  /// Calls `body` with the name and the value of every line as bytes, in order.
  package func forEachLine(
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    lines.withUnsafeBufferPointer { all in
      var start = 0
      while start < all.count {
        var colon = start
        while all[colon] != UInt8(ascii: ":") { colon += 1 }
        var end = colon + 1
        while all[end] != 10 { end += 1 }
        body(
          UnsafeBufferPointer(rebasing: all[start..<colon]),
          UnsafeBufferPointer(rebasing: all[(colon + 1)..<end]))
        start = end + 1
      }
    }
  }

  /// Calls `body` with the values of the header `wanted` as bytes, in order, until `body` returns
  /// false. Lines of other headers are skipped by their length.
  private func forEachValue(
    of wanted: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    lines.withUnsafeBufferPointer { all in
      var start = 0
      while start < all.count {
        let rest = UnsafeBufferPointer(rebasing: all[start...])
        let length = Headers.lineLength(rest)
        if wanted.count < length, rest[wanted.count] == UInt8(ascii: ":"),
          Headers.equal(UnsafeBufferPointer(rebasing: rest[..<wanted.count]), wanted),
          !body(UnsafeBufferPointer(rebasing: rest[(wanted.count + 1)..<length]))
        {
          return
        }
        start += length + 1
      }
    }
  }

  private func holds(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    var isThere = false
    forEachValue(of: name) { _ in
      isThere = true
      return false
    }
    return isThere
  }

  /// The length of the first line without its line end. Every line has a line end.
  static func lineLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    RawBytes.count(before: 10, in: bytes)
  }

  private static let setCookieName: StaticString = "set-cookie"

  private static var setCookie: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: setCookieName.utf8Start, count: setCookieName.utf8CodeUnitCount)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 13 || byte == 10 || byte == 9
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 65 && byte <= 90 ? byte | 0x20 : byte
  }

  private static func equal(
    _ line: UnsafeBufferPointer<UInt8>, _ wanted: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard line.count == wanted.count else { return false }
    // Compares from the end, since names more often share a beginning than an end.
    for index in (0..<line.count).reversed() where line[index] != lowercased(wanted[index]) {
      return false
    }
    return true
  }
}

/// Makes headers from a literal such as `["Accept": "text/plain", "X-Token": token]`. The order and
/// repeated names are kept.
extension Headers: ExpressibleByDictionaryLiteral {
  /// Makes headers from a literal, in its order. A name may occur twice.
  public init(dictionaryLiteral pairs: (String, String)...) { self.init(pairs) }
}

extension Headers {
  /// The lower-case names of the headers whose values differ from the values in `before`.
  ///
  /// The common lines at the beginning and at the end are compared only as blocks of bytes. An
  /// added header therefore costs little, regardless of the number of headers.
  package func changedNames(since before: Headers) -> Set<String> {
    let (mine, theirs) = Headers.difference(lines, before.lines)
    guard !mine.isEmpty || !theirs.isEmpty else { return [] }
    let new = Headers.values(lines[mine])
    let old = Headers.values(before.lines[theirs])
    return Set(new.keys.filter { new[$0] != old[$0] })
      .union(old.keys.filter { new[$0] == nil })
  }

  private static func values(_ lines: ArraySlice<UInt8>) -> [String: [[UInt8]]] {
    var values: [String: [[UInt8]]] = [:]
    for line in lines.split(separator: 10) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      values[String(escaping: line[..<colon]), default: []].append(Array(line[(colon + 1)...]))
    }
    return values
  }

  /// The ranges in which the two arrays differ: in each array, the complete lines between the
  /// common beginning and the common end.
  private static func difference(_ a: [UInt8], _ b: [UInt8]) -> (Range<Int>, Range<Int>) {
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        let shorter = min(a.count, b.count)
        var start = longest(shorter) { equal(a, $0, b, $0, $1 - $0) }
        while start > 0, a[start - 1] != 10 { start -= 1 }
        // Counted from the ends, without the common beginning.
        var rest = longest(shorter - start) { equal(a, a.count - $1, b, b.count - $1, $1 - $0) }
        while rest > 0, !isLineStart(a, a.count - rest) || !isLineStart(b, b.count - rest) {
          rest -= 1
        }
        return (start..<(a.count - rest), start..<(b.count - rest))
      }
    }
  }

  /// The largest position up to `limit` before which both arrays are equal, found by bisection.
  /// `areEqual` compares the bytes between two positions.
  private static func longest(_ limit: Int, _ areEqual: (Int, Int) -> Bool) -> Int {
    var known = 0
    var beyond = limit + 1
    while beyond - known > 1 {
      let middle = known + (beyond - known) / 2
      if areEqual(known, middle) { known = middle } else { beyond = middle }
    }
    return known
  }

  /// Whether `count` bytes of `a`, starting at index `first`, equal `count` bytes of `b`, starting
  /// at index `second`.
  private static func equal(
    _ a: UnsafeBufferPointer<UInt8>, _ first: Int, _ b: UnsafeBufferPointer<UInt8>, _ second: Int,
    _ count: Int
  ) -> Bool {
    guard count > 0, let a = a.baseAddress, let b = b.baseAddress else { return true }
    return RawBytes.areEqual(a + first, b + second, count: count)
  }

  private static func isLineStart(_ lines: UnsafeBufferPointer<UInt8>, _ position: Int) -> Bool {
    position == 0 || lines[position - 1] == 10
  }
}

extension Headers {
  /// Returns the headers of a stored response, updated by the headers `later` of a 304 response.
  /// Headers of the 304 response replace stored headers with the same name, except headers that
  /// concern the connection or describe the unchanged content. (RFC 9111, section 3.2)
  package func refreshed(by later: Headers) -> Headers {
    let kept = Headers.ofContent.union(later.namesOfConnection)
    var headers = self
    var seen: Set<String> = []
    for (name, _) in later.pairs where !kept.contains(name) && seen.insert(name).inserted {
      headers.take(name, from: later)
    }
    return headers
  }

  /// The names listed in the header `name`, in lower case. The value of this header is a list of
  /// names.
  func listedNames(_ name: String) -> Set<String> {
    var names: Set<String> = []
    for value in values(name) {
      for part in value.split(separator: ",") {
        let listed = part.trimmingBlanks
        if !listed.isEmpty { names.insert(listed.lowercased()) }
      }
    }
    return names
  }

  /// The lower-case names of headers that concern only one connection, including the names listed
  /// in `Connection`. (RFC 9111, section 3.1)
  package var namesOfConnection: Set<String> {
    Headers.ofConnection.union(listedNames("connection"))
  }

  private static let ofConnection: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private static let ofContent: Set<String> = [
    "content-encoding", "content-length", "content-range", "content-type",
  ]
}

/// Classifies request headers by their lower-case names.
extension Headers {
  /// Whether the header describes only the wanted content, the format of the body or the client
  /// program. Headers for which this is true don't identify the sender.
  package static func goesAnywhere(_ name: String) -> Bool {
    name.hasPrefix("accept") || name.hasPrefix("content-") || name == "user-agent"
  }

  /// Whether the value of this header may differ between requests of the same user. Always false
  /// for a name that looks like a credential.
  static func saysNothingOfSender(_ name: String) -> Bool {
    guard CredentialName(name) == nil else { return false }
    return goesAnywhere(name) || harmless.contains(name)
  }

  /// Whether the header `name` makes a request conditional.
  package static func isCondition(_ name: String) -> Bool {
    ["if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range"]
      .contains(name.lowercased())
  }

  private static let harmless: Set<String> = [
    "x-request-id", "traceparent", "idempotency-key", "cache-control", "range", "if-match",
    "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
  ]
}
