import LullCore

/// The names of the entries of a table, of which no two are the same: which entry has one.
///
/// They are looked up where they stand, and become strings only where they are written with escapes.
struct EntryNames {
  /// Numbers of entries by the hash of their names; -1 where there is none. Half of it at least is empty.
  private var slots: [Int32]
  private let mask: Int

  /// nil if two are the same, or one is no name of a call, or has other letters than ASCII's.
  init?(of entries: [CallEntry], in source: [UInt8]) {
    var size = 16
    while size < entries.count * 2 { size *= 2 }
    mask = size - 1
    slots = Array(repeating: -1, count: size)
    for (number, entry) in entries.enumerated() {
      guard EntryNames.isCallName(entry.key, in: source) else { return nil }
      var isNew = false
      entry.key.withBytes(in: source) { name in
        let slot = slot(of: name, entries, source)
        isNew = slots[slot] < 0
        if isNew { slots[slot] = Int32(number) }
      }
      guard isNew else { return nil }
    }
  }

  /// The number of the entry of that name.
  func number(_ name: String, _ entries: [CallEntry], in source: [UInt8]) -> Int? {
    var name = name
    let found = name.withUTF8 { slots[slot(of: $0, entries, source)] }
    return found < 0 ? nil : Int(found)
  }

  /// Where it is, or would be.
  private func slot(
    of name: UnsafeBufferPointer<UInt8>, _ entries: [CallEntry], _ source: [UInt8]
  ) -> Int {
    // Not to be foreseen by who writes a file.
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(name))
    var slot = hasher.finalize() & mask
    while slots[slot] >= 0 {
      let key = entries[Int(slots[slot])].key
      if key.withBytes(in: source, { $0.elementsEqual(name) }) == true { break }
      slot = (slot + 1) & mask
    }
    return slot
  }

  /// Of ASCII: others may be one name in several spellings.
  private static func isCallName(_ key: LiteralText, in source: [UInt8]) -> Bool {
    key.withBytes(in: source) { name in
      name.first.map { $0 != UInt8(ascii: "-") } ?? false
        && name.allSatisfy { (0x20..<0x7F).contains($0) }
    } ?? false
  }
}
