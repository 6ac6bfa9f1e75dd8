/// The records that shapes have, each once: those that are alike are one.
///
/// Two records are one if they have the same fields, or if they have the same name and nearly the same
/// fields; so a tree of records becomes one that refers to itself.
struct RecordTable {
  /// What is at a place, with records as numbers.
  struct Place {
    var count: Int
    var kinds: Shape.Kinds
    // None or one each.
    var element: [Place] = []
    var entries: [Place] = []
    /// If there is one; ask `root` which it is now.
    var record: Int?
  }

  struct Field {
    let name: String
    var place: Place
  }

  struct Record {
    /// What it would be called by where it stands.
    let name: String
    /// The same of the record that it stands in; empty at the top.
    let owner: String
    var count: Int
    var fields: [Field] = []
    var entries: [Place] = []
  }

  private(set) var records: [Record] = []
  private var parents: [Int] = []

  // MARK: Building

  /// The place of a settled shape, whose records are taken in.
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

  /// Makes one of those that are alike. To be called once all have been added.
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

  /// The record that a number stands for now.
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
    // Fields that both have may hold records, which are then one, too.
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

  /// A name for each record that is left, in the order in which they were seen.
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
