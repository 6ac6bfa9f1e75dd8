extension Headers {
  /// The names, in lower case, that have other values than in `before`.
  ///
  /// What both begin and end with is only compared as a whole: one header more costs little, however
  /// many there are.
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

  /// The whole lines between what both begin with and what both end with.
  private static func difference(_ a: [UInt8], _ b: [UInt8]) -> (Range<Int>, Range<Int>) {
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        let shorter = min(a.count, b.count)
        var start = longest(shorter) { equal(a, $0, b, $0, $1 - $0) }
        while start > 0, a[start - 1] != 10 { start -= 1 }
        // Counted from the ends, and not over what they begin with.
        var rest = longest(shorter - start) { equal(a, a.count - $1, b, b.count - $1, $1 - $0) }
        while rest > 0, !isLineStart(a, a.count - rest) || !isLineStart(b, b.count - rest) {
          rest -= 1
        }
        return (start..<(a.count - rest), start..<(b.count - rest))
      }
    }
  }

  /// The largest number up to `limit` up to which they are equal, part by part: `areEqual` is asked of
  /// what lies between two numbers.
  private static func longest(_ limit: Int, _ areEqual: (Int, Int) -> Bool) -> Int {
    var known = 0
    var beyond = limit + 1
    while beyond - known > 1 {
      let middle = known + (beyond - known) / 2
      if areEqual(known, middle) { known = middle } else { beyond = middle }
    }
    return known
  }

  /// Whether `count` bytes from there on are the same.
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
