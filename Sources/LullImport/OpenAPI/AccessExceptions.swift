/// Finds the entries of configuration by which each call has its own access.
enum AccessExceptions {
  struct Entry {
    var path: String
    var method: String
    var access: ImportedAccess
  }

  private struct Place: Hashable {
    var pattern: String
    var method: String
  }

  private static let mostPairs = 500_000

  /// What patterns must have in common to match the same.
  private struct Shape: Hashable {
    var method: String
    var count: Int
  }

  private static func shape(of place: Place) -> Shape {
    Shape(method: place.method, count: place.pattern.utf8.count { $0 == UInt8(ascii: "/") })
  }

  private static func parts(of pattern: String) -> [Substring] {
    pattern.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// What most have, and of several the first that is one.
  static func commonest(of accesses: some Sequence<ImportedAccess>) -> ImportedAccess? {
    var counts: [(access: ImportedAccess, count: Int)] = []
    for access in accesses {
      if let place = counts.firstIndex(where: { $0.access == access }) {
        counts[place].count += 1
      } else {
        counts.append((access, 1))
      }
    }
    guard let most = counts.map(\.count).max() else { return nil }
    let all = counts.filter { $0.count == most }.map(\.access)
    return all.first { $0 != ImportedAccess() } ?? all.first
  }

  /// - Parameter standard: what holds without an entry; nil: nobody knows.
  static func made(of entries: [Entry], standard: ImportedAccess?) -> [ImportedException] {
    guard entries.contains(where: { $0.access != standard }) else { return [] }
    var accesses: [Place: ImportedAccess] = [:]
    var order: [Place] = []
    for entry in entries {
      let place = Place(pattern: pattern(of: entry.path), method: entry.method)
      if accesses.updateValue(entry.access, forKey: place) == nil { order.append(place) }
    }
    var wanted = order.filter { accesses[$0] != standard }
    // Those that such an entry would hit too have one of their own behind it.
    var given = Set(wanted)
    var wild: [Shape: [[Substring]]] = [:]
    for place in wanted where place.pattern.contains("*") {
      wild[shape(of: place), default: []].append(parts(of: place.pattern))
    }
    // Where there are too many to be compared, each has its own.
    let pairs = order.reduce(0) { $0 + (wild[shape(of: $1)]?.count ?? 0) }
    for place in order where !given.contains(place) {
      guard let patterns = wild[shape(of: place)] else { continue }
      let own = parts(of: place.pattern)
      if pairs > mostPairs || patterns.contains(where: { covers($0, own) }) {
        wanted.append(place)
        given.insert(place)
      }
    }
    // The more is open in a pattern, the earlier it stands; the last that matches counts.
    let ordered = wanted.enumerated().sorted { one, other in
      let (left, right) = (stars(one.element.pattern), stars(other.element.pattern))
      return left == right ? one.offset < other.offset : left > right
    }.map(\.element)
    return joined(ordered, accesses)
  }

  /// Methods of one pattern and one access stand together.
  private static func joined(
    _ places: [Place], _ accesses: [Place: ImportedAccess]
  ) -> [ImportedException] {
    var result: [ImportedException] = []
    var positions: [String: [Int]] = [:]
    for place in places {
      guard let access = accesses[place] else { continue }
      let known = positions[place.pattern]?.first { result[$0].access == access }
      if let known {
        result[known].methods.append(place.method)
      } else {
        positions[place.pattern, default: []].append(result.count)
        result.append(.init(pattern: place.pattern, methods: [place.method], access: access))
      }
    }
    return result
  }

  /// `/users/*` of `/users/{id}`; a query does not count.
  static func pattern(of path: String) -> String {
    var result = ""
    var isInside = false
    for character in path.prefix(while: { $0 != "?" }) {
      switch character {
      case "{":
        isInside = true
        if !result.hasSuffix("*") { result += "*" }
      case "}": isInside = false
      default: if !isInside { result.append(character) }
      }
    }
    return result
  }

  private static func stars(_ pattern: String) -> Int { pattern.count { $0 == "*" } }

  /// Whether a pattern matches all that another does, or all that there is of a path.
  static func reaches(_ pattern: String, _ other: String) -> Bool {
    let (left, right) = (parts(of: pattern), parts(of: other))
    return left.count == right.count
      && zip(left, right).allSatisfy(hits)
  }

  /// Whether there is something that both match.
  static func overlap(_ pattern: String, _ other: String) -> Bool {
    let (left, right) = (parts(of: pattern), parts(of: other))
    return left.count == right.count && covers(left, right)
  }

  /// Of segments.
  private static func hits(_ part: Substring, _ other: Substring) -> Bool {
    part == other || part.contains("*") && NamePattern(String(part)).matches(String(other))
  }

  private static func covers(_ parts: [Substring], _ others: [Substring]) -> Bool {
    zip(parts, others).allSatisfy { hits($0, $1) || hits($1, $0) }
  }
}
