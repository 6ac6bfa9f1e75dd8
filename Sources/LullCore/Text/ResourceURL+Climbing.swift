extension ResourceURL {
  /// Whether dot segments lead out of the base's path: they are sent as they are, and servers resolve
  /// them. (SVC-39)
  ///
  /// Escaped dots count too. A URL that does not begin as the base does has left it openly.
  package func climbs(above base: ResourceURL) -> Bool {
    let rest = withBytes { bytes -> [UInt8]? in
      base.withBytes { base in
        let end = Components(base).path.upperBound
        guard bytes.count > end, bytes[..<end].elementsEqual(base[..<end]) else { return nil }
        return Array(
          bytes[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
      }
    }
    return rest.map(ResourceURL.climbs) ?? false
  }

  /// Whether a part of the path stands for itself or the one above it, its dots escaped or not.
  package var hasDotSegments: Bool {
    Array(path.utf8).split(separator: UInt8(ascii: "/")).contains {
      (1...2).contains(ResourceURL.dots($0))
    }
  }

  /// Whether a segment of a path stands for the one above it, its dots escaped or not.
  package static func isParent(_ segment: some StringProtocol) -> Bool {
    dots(Array(segment.utf8)[...]) == 2
  }

  private static func climbs(_ path: [UInt8]) -> Bool {
    var depth = 0
    for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      switch dots(segment) {
      case 1: break
      case 2:
        depth -= 1
        if depth < 0 { return true }
      default: depth += 1
      }
    }
    return false
  }

  /// How many dots a segment is made of, escaped ones included; 0 if there is anything else.
  private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
    guard segment.count <= 6 else { return 0 }
    return segment.withUnsafeBufferPointer { bytes in
      var count = 0
      var index = 0
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: ".") {
          index += 1
        } else if Escaping.decodedByte(in: bytes, at: index) == UInt8(ascii: ".") {
          index += 3
        } else {
          return 0
        }
        count += 1
      }
      return count
    }
  }
}
