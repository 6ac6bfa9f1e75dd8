internal import CSimdjson

/// Arrays of many elements, which are decoded without a container for them, and with room for all at once.
protocol LongArray {
  static func decoded(by reader: TapeReader, at place: Int, depth: Int) throws -> Self
}

extension Array: LongArray where Element: Decodable {
  static func decoded(by reader: TapeReader, at place: Int, depth: Int) throws -> [Element] {
    let view = reader.view
    var elements: [Element] = []
    // Large types might want much more than there turns out to be of them.
    let most = reader.root.document.memory / Swift.max(1, MemoryLayout<Element>.stride)
    elements.reserveCapacity(Swift.min(csj_count(view, place), most))
    let end = csj_end(view, place)
    var next = csj_first(view, place)
    while next < end {
      elements.append(try reader.value(Element.self, at: next, depth: depth + 1))
      next = csj_after(view, next)
    }
    return elements
  }
}

extension TapeReader {
  /// Whether there are so many elements that finding out what type they are of is worth it.
  @inline(__always)
  func isLongArray(at place: Int) -> Bool {
    type(at: place) == CSJ_ARRAY && csj_count(view, place) >= 64
  }

  /// What is asked for, which may be something else than an array.
  @inline(never)
  func longArray<Value: Decodable>(_ type: Value.Type, at place: Int, depth: Int) throws -> Value {
    if let array = type as? any LongArray.Type,
      let elements = try array.decoded(by: self, at: place, depth: depth) as? Value
    {
      return elements
    }
    return try Value(from: TapeDecoder(reader: self, place: place, depth: depth))
  }
}
