/// The record types found in inferred shapes. Similar records are merged into one type.
///
/// Two records are similar if they have the same fields, or if they have the same name and nearly
/// the same fields. By the second rule, a tree of records becomes a type that refers to itself.
struct RecordTable {
  /// Describes the values at one position in the content. If the values are records, contains the
  /// ID of the record.
  struct Place {
    var count: Int
    var kinds: Shape.Kinds
    // Each list is empty or has one element. It is a list because a struct can't contain itself.
    var element: [Place] = []
    var entries: [Place] = []
    /// The ID of the record type, if the values are records. After records have been merged, `root`
    /// returns the current ID.
    var record: Int?
  }

  struct Field {
    let name: String
    var place: Place
  }

  struct Record {
    /// The name of the record type, derived from its position: for example, the name of a field.
    let name: String
    /// The name of the record that contains this one; empty for the outermost record.
    let owner: String
    var count: Int
    var fields: [Field] = []
    var entries: [Place] = []
  }

  private(set) var records: [Record] = []
  private var parents: [Int] = []

  // MARK: Building

  /// Adds a shape and all records in it. Maps must already be resolved in the shape. Returns the
  /// description of the shape's values.
  mutating func add(_ shape: Shape, name: String, owner: String = "") -> Place {
    var place = Place(count: shape.count, kinds: shape.kinds)
    if let element = shape.element {
      place.element = [add(element, name: RecordNames.singular(name), owner: owner)]
    }
    guard shape.kinds.contains(.object) else { return place }
    guard !shape.fields.isEmpty else {
      if let entries = shape.entries {
        place.entries = [add(entries, name: RecordNames.singular(name), owner: owner)]
      }
      return place
    }
    let number = records.count
    records.append(Record(name: name, owner: owner, count: shape.objectCount))
    parents.append(number)
    place.record = number
    for field in shape.fields {
      let isOfMany = field.shape.fields.isEmpty
      let inner = RecordNames.name(ofField: field.name, in: name, isOfMany: isOfMany)
      let fieldPlace = add(field.shape, name: inner, owner: name)
      records[number].fields.append(Field(name: field.name, place: fieldPlace))
    }
    if let entries = shape.entries {
      records[number].entries = [add(entries, name: RecordNames.singular(name), owner: name)]
    }
    return place
  }

  /// Merges similar records. Called after all shapes have been added.
  mutating func join() {
    var isChanged = true
    while isChanged {
      isChanged = false
      var byName: [String: [Int]] = [:]
      var byFields: [[String]: [Int]] = [:]
      for number in records.indices where parents[number] == number {
        let record = records[number]
        let names = record.fields.map(\.name).sorted()
        let others = (byName[record.name] ?? []) + (names.count >= 3 ? byFields[names] ?? [] : [])
        let other = others.sorted().first { root($0) == $0 && isLike($0, number) }
        if let other {
          unite(other, number)
          isChanged = true
        } else {
          byName[record.name, default: []].append(number)
          byFields[names, default: []].append(number)
        }
      }
    }
  }

  /// Returns the current ID of a record type. It differs from `number` if the record has been
  /// merged into another.
  func root(_ number: Int) -> Int {
    var number = number
    while parents[number] != number { number = parents[number] }
    return number
  }

  private func isLike(_ one: Int, _ other: Int) -> Bool {
    let fields = Dictionary(
      records[one].fields.map { ($0.name, $0.place) }, uniquingKeysWith: { first, _ in first })
    var shared = 0
    for field in records[other].fields {
      guard let place = fields[field.name] else { continue }
      guard RecordTable.isLike(place, field.place) else { return false }
      shared += 1
    }
    let all = fields.count + records[other].fields.count - shared
    return 10 * shared >= 6 * all
  }

  private static func isLike(_ one: Place, _ other: Place) -> Bool {
    let (first, second) = (one.kinds.compared, other.kinds.compared)
    guard first == second || first.isEmpty || second.isEmpty else { return false }
    guard let element = one.element.first, let others = other.element.first else { return true }
    return isLike(element, others)
  }

  private mutating func unite(_ one: Int, _ other: Int) {
    // Then also merge the records in fields that both records have.
    var pairs = [(one, other)]
    while let (first, second) = pairs.popLast() {
      let (one, other) = (root(first), root(second))
      guard one != other else { continue }
      let (kept, gone) = (min(one, other), max(one, other))
      parents[gone] = kept
      records[kept].count += records[gone].count
      for field in records[gone].fields {
        if let place = records[kept].fields.firstIndex(where: { $0.name == field.name }) {
          RecordTable.merge(&records[kept].fields[place].place, field.place, &pairs)
        } else {
          records[kept].fields.append(field)
        }
      }
      RecordTable.merge(&records[kept].entries, records[gone].entries, &pairs)
      records[gone].fields = []
      records[gone].entries = []
    }
  }

  private static func merge(_ one: inout Place, _ other: Place, _ pairs: inout [(Int, Int)]) {
    one.count += other.count
    one.kinds.formUnion(other.kinds)
    merge(&one.element, other.element, &pairs)
    merge(&one.entries, other.entries, &pairs)
    if let own = one.record, let record = other.record { pairs.append((own, record)) }
    one.record = one.record ?? other.record
  }

  private static func merge(
    _ one: inout [Place], _ other: [Place], _ pairs: inout [(Int, Int)]
  ) {
    guard let other = other.first else { return }
    if one.isEmpty { one.append(other) } else { merge(&one[0], other, &pairs) }
  }

  // MARK: Naming

  /// Returns the IDs and unique names of the record types that remain after merging, in the order
  /// in which they were first seen.
  func names() -> [(number: Int, name: String)] {
    var taken: Set<String> = []
    return records.indices.filter { parents[$0] == $0 }.map { number in
      let record = records[number]
      var name = record.name
      if taken.contains(name), !record.owner.isEmpty { name = "\(record.owner)_\(record.name)" }
      var count = 1
      let stem = name
      while !taken.insert(name).inserted {
        count += 1
        name = "\(stem)_\(count)"
      }
      return (number, name)
    }
  }
}

/// Chooses names for records that have no schema name. A name is derived from the field or call
/// that contains the record.
enum RecordNames {
  /// General field names that do not describe the content of the field.
  private static let general: Set<String> = [
    "data", "items", "item", "results", "result", "values", "value", "entries", "entry", "content",
    "records", "record", "rows", "row", "list", "nodes", "node", "edges", "objects", "payload",
  ]

  /// Returns a name for the record type of a field's value or, if the value is a list or map, of
  /// its elements.
  ///
  /// - Parameters:
  ///   - owner: The name of the record that has the field.
  ///   - isOfMany: Whether the value of the field is a list or a map.
  static func name(ofField field: String, in owner: String, isOfMany: Bool) -> String {
    let name = isOfMany ? singular(plain(field)) : plain(field)
    guard general.contains(field.lowercased()) else { return name }
    let one = isOfMany ? singular(owner) : owner
    return one == owner ? "\(owner)_\(name)" : one
  }

  /// Converts a text to a name that consists of letters, digits and `_`. If no character remains,
  /// returns `record`.
  static func plain(_ text: String) -> String {
    var name = ""
    var isParted = false
    for character in text {
      guard character.isASCII, character.isLetter || character.isNumber else {
        isParted = !name.isEmpty
        continue
      }
      // Insert `_` before a capital letter, so that `ownerName` and `owner_name` result in the same
      // name.
      if character.isUppercase, let last = name.last, last.isLowercase { isParted = true }
      if isParted { name.append("_") }
      isParted = false
      name.append(character.lowercased())
    }
    if let first = name.first, first.isNumber { name = "_" + name }
    return name.isEmpty ? "record" : name
  }

  private static let others = ["children": "child", "people": "person", "series": "series"]

  static func singular(_ name: String) -> String {
    if let other = others[name] { return other }
    for ending in ["ss", "us", "is"] where name.hasSuffix(ending) { return name }
    if name.hasSuffix("ies"), name.count > 4 { return name.dropLast(3) + "y" }
    for ending in ["sses", "xes", "ches", "shes", "zes"] where name.hasSuffix(ending) {
      return String(name.dropLast(2))
    }
    return name.hasSuffix("s") && name.count > 2 ? String(name.dropLast()) : name
  }
}

/// Distinguishes keys that are field names from keys that are data.
package enum KeyKind {
  private static let longest = 100
  /// The length of the longest key that is examined as one word. A longer key is split into words,
  /// which are examined one by one.
  private static let longestWord = 40

  /// Returns whether a key looks like a number, a date, an ID, an address or a token. A key that
  /// looks like this is data of the API, so it is never written to a file.
  package static func isData(_ key: String) -> Bool {
    let text = Array(key.utf8)
    guard let first = text.first, text.count <= longest else { return true }
    // The key is a number, a date or a size, such as `7`, `-1`, `2026-11-26` or `48x48`.
    if isDigit(first) || (first == UInt8(ascii: "-") || first == UInt8(ascii: "+")) { return true }
    // The key is an address, a path or a text.
    if text.dropFirst().contains(UInt8(ascii: "@")) || text.contains(where: isSeparator) {
      return true
    }
    return isNumbered(text) || isHexadecimal(text) || isRandom(text)
      || !text.split(whereSeparator: isPart).allSatisfy { $0.count <= longestWord }
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F || "/\\,;=?&%|\"'`<>{}()".utf8.contains(byte)
  }

  /// Returns whether a byte begins a new word in a key. This is the case for a capital letter, and
  /// for `_` and similar characters.
  private static func isPart(_ byte: UInt8) -> Bool {
    "_-.:".utf8.contains(byte) || (0x41...0x5A).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Returns whether a key consists of a name and the number of an object, such as `user_1842` or
  /// `no-2026`. In contrast, `line1` and `sha256` are field names.
  private static func isNumbered(_ text: [UInt8]) -> Bool {
    let digits = text.reversed().prefix(while: isDigit).count
    guard digits > 0, digits < text.count else { return false }
    let before = text[text.count - digits - 1]
    let isParted = "-_.:#".utf8.contains(before)
    return digits >= 4 || isParted && digits >= 3
  }

  /// Returns whether a key is a digest or a UUID: it has at least eight hexadecimal digits, and at
  /// least one of them is a decimal digit.
  private static func isHexadecimal(_ text: [UInt8]) -> Bool {
    let digits = text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
    return digits.count >= 8 && digits.contains(where: isDigit)
      && digits.allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) }
  }

  /// Returns whether a key looks random, for example because it often alternates between letters
  /// and digits.
  private static func isRandom(_ text: [UInt8]) -> Bool {
    guard text.count >= 12 else { return false }
    var changes = 0
    for (one, other) in zip(text, text.dropFirst()) where isDigit(one) != isDigit(other) {
      changes += 1
    }
    return changes >= 4 || text.count(where: isDigit) >= 6 || isMixed(text)
  }

  /// Returns whether a key has capital letters at many positions, as in `xKpQzWmTbRnL`. A name such
  /// as `repositoryOwnerName` has only a few.
  private static func isMixed(_ text: [UInt8]) -> Bool {
    let isUpper = { (byte: UInt8) in (0x41...0x5A).contains(byte) }
    let turns = zip(text, text.dropFirst()).count { !isUpper($0) && isUpper($1) }
    return text.count >= 16 && turns * 3 > text.count
  }
}
