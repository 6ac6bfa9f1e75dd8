import CSimdjson

/// Maps names to numbers. The lookup of a key compares the bytes of the key in the document,
/// without copying them.
struct NameTable: Sendable {
  private var names: [[UInt8]] = []
  private var values: [Int] = []
  // Each slot has an index in `names` plus 1. The value 0 means that the slot is free.
  private var slots: [Int32] = []

  var count: Int { names.count }

  mutating func set(_ name: String, _ value: Int) {
    let bytes = Array(name.utf8)
    if let place = bytes.withUnsafeBufferPointer({ place(of: $0) }) {
      values[place] = value
      return
    }
    names.append(bytes)
    values.append(value)
    if names.count * 2 > slots.count { grow() } else { enter(names.count - 1) }
  }

  func value(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    place(of: name).map { values[$0] }
  }

  private func place(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    guard !slots.isEmpty else { return nil }
    var slot = Int(truncatingIfNeeded: NameTable.hash(name)) & (slots.count - 1)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if names[place].count == name.count, names[place].elementsEqual(name) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: max(8, slots.count * 2))
    for place in names.indices { enter(place) }
  }

  private mutating func enter(_ place: Int) {
    var slot =
      Int(truncatingIfNeeded: names[place].withUnsafeBufferPointer(NameTable.hash))
      & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(place + 1)
  }

  // A simple hash is safe: a schema has few names, and the sender of content can't choose them.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return UInt(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
