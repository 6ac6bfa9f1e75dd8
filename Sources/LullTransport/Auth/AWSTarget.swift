import LullCore

/// Path and query of a request, as they go out and as they are signed.
///
/// They go out with an escape for every byte but letters, digits and `-._~`, and with `%20` for a `+` in the
/// query, so that they arrive as they were signed, whoever takes them apart.
struct AWSTarget {
  let wire: String
  let path: [UInt8]
  let query: [UInt8]

  /// - Parameter isStorage: whether the path stands for itself. For all other services it is signed without
  ///   dots and repeated slashes, and its escapes escaped.
  init(_ target: String, isStorage: Bool) {
    let mark = target.firstIndex(of: "?") ?? target.endIndex
    let given = Array(target[..<mark].utf8)
    let sent = isStorage ? AWSTarget.parts(of: given, AWSTarget.escapedOnce) : given
    path =
      isStorage
      ? sent
      : AWSTarget.parts(of: AWSTarget.normal(given)) { PercentEncoding.encode($0) }
    let pairs = target[mark...].utf8.dropFirst().split(separator: UInt8(ascii: "&")).map { pair in
      let bytes = pair.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      let equals = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
      return Pair(
        name: AWSTarget.escapedOnce(bytes[..<equals]),
        value: equals == bytes.endIndex ? nil : AWSTarget.escapedOnce(bytes[(equals + 1)...]))
    }
    let equals = [UInt8(ascii: "=")]
    query = AWSTarget.joined(pairs.sorted().map { $0.name + equals + ($0.value ?? []) })
    let asGiven = AWSTarget.joined(
      pairs.map { pair in pair.name + (pair.value.map { equals + $0 } ?? []) })
    wire = String(
      decoding: sent + (mark == target.endIndex ? [] : [UInt8(ascii: "?")] + asGiven),
      as: UTF8.self)
  }

  private struct Pair: Comparable {
    let name: [UInt8]
    /// nil without an equals sign.
    let value: [UInt8]?

    static func < (one: Pair, other: Pair) -> Bool {
      one.name == other.name
        ? (one.value ?? []).lexicographicallyPrecedes(other.value ?? [])
        : one.name.lexicographicallyPrecedes(other.name)
    }
  }

  private static func joined(_ pairs: [[UInt8]]) -> [UInt8] {
    Array(pairs.joined(separator: CollectionOfOne(UInt8(ascii: "&"))))
  }

  /// Part by part of a path: a slash that is escaped is none between two.
  private static func parts(
    of path: [UInt8], _ change: (ArraySlice<UInt8>) -> [UInt8]
  ) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    return Array(
      path.split(separator: slash, omittingEmptySubsequences: false).map(change)
        .joined(separator: CollectionOfOne(slash)))
  }

  /// Without dots and repeated slashes.
  private static func normal(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var parts: [ArraySlice<UInt8>] = []
    for part in path.split(separator: slash) where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
    }
    let end = path.last == slash && !parts.isEmpty ? [slash] : []
    return [slash] + Array(parts.joined(separator: CollectionOfOne(slash))) + end
  }

  private static func escapedOnce(_ text: ArraySlice<UInt8>) -> [UInt8] {
    // What is no escape stands for itself.
    PercentEncoding.encode((try? PercentEncoding.decode(text))?[...] ?? text)
  }
}
