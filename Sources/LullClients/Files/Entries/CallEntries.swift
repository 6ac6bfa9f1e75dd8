import LullCore

/// The calls of an API file that stand in its text as data, and the text without them.
///
/// What they say can be read one by one, when it is asked for. There are none of a text that has its calls in another
/// way, has two of one name, or has something else that is unusual.
struct CallEntries {
  /// The text without those that are data; what is left stands on the lines that it stood on.
  let rest: [UInt8]
  /// Whether one of them has a schema.
  let haveSchemas: Bool
  private let source: [UInt8]
  /// Those that are more than data too.
  private let entries: [CallEntry]
  private let names: EntryNames
  private let requiresLull: Bool

  init?(_ source: [UInt8]) {
    guard let found = CallEntries.find(in: source),
      let names = EntryNames(of: found.entries, in: source)
    else { return nil }
    var rest: [UInt8] = []
    var copied = 0
    var haveSchemas = false
    for entry in found.entries {
      guard let outline = entry.outline else { continue }
      if outline.hasSchema { haveSchemas = true }
      rest += source[copied..<entry.range.lowerBound]
      rest += repeatElement(10, count: entry.lineEnds.count - 1)
      copied = entry.range.upperBound
      if let separator = entry.separator {
        rest += source[copied..<separator]
        copied = separator + 1
      }
    }
    guard copied > 0 else { return nil }
    rest += source[copied...]
    self.rest = rest
    self.haveSchemas = haveSchemas
    self.source = source
    entries = found.entries
    self.names = names
    requiresLull = found.requiresLull
  }

  /// The names of those that are data, and of the others those that are wanted, in the order of the file.
  func names(or isWanted: (String) -> Bool) -> [String] {
    var names: [(line: UInt32, name: String)] = []
    names.reserveCapacity(entries.count)
    for entry in entries {
      let name = name(of: entry)
      if entry.outline != nil || isWanted(name) { names.append((entry.lineEndsBeforeName, name)) }
    }
    if zip(names, names.dropFirst()).contains(where: { $0.line >= $1.line }) {
      names.sort { ($0.line, $0.name) < ($1.line, $1.name) }
    }
    return names.map(\.name)
  }

  func name(of entry: CallEntry) -> String { entry.key.text(in: source) ?? "" }

  /// Those that are data.
  var all: [CallEntry] { entries.filter { $0.outline != nil } }

  /// The one of that name, if it is data.
  func entry(_ name: String) -> CallEntry? {
    guard let number = names.number(name, entries, in: source) else { return nil }
    return entries[number].outline == nil ? nil : entries[number]
  }

  /// What lists know of the one of that name; nil where it has to be read for that.
  func listed(_ name: String) -> ListedCall? {
    guard let outline = entry(name)?.outline else { return nil }
    return ListedCall(outline, named: name, in: source)
  }

  /// A text that gives a table of some of them, each on the lines of the file.
  ///
  /// - Parameter wanted: in the order of the file.
  func text(of wanted: [CallEntry]) -> [UInt8] {
    let usesLull = requiresLull && wanted.contains { $0.outline?.usesLull == true }
    var text = Array((usesLull ? "local lull = require \"lull\" return {" : "return {").utf8)
    var lineEnds = 0
    for entry in wanted {
      text += repeatElement(10, count: entry.lineEnds.lowerBound - lineEnds)
      text += source[entry.range]
      text.append(UInt8(ascii: ","))
      lineEnds = entry.lineEnds.upperBound
    }
    text.append(UInt8(ascii: "}"))
    return text
  }

  private static func find(in source: [UInt8]) -> CallEntryFinder.Found? {
    // Places are kept in 32 bits.
    guard source.count < Int(Int32.max) else { return nil }
    return source.withUnsafeBufferPointer { bytes in
      guard !hasOddLineBreaks(bytes), var finder = CallEntryFinder(bytes) else { return nil }
      return finder.find()
    }
  }

  /// Whether there are line breaks that are counted in one way here and in another there.
  private static func hasOddLineBreaks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var place = 0
    while true {
      place += RawBytes.count(before: 13, in: UnsafeBufferPointer(rebasing: bytes[place...]))
      guard place < bytes.count else { return false }
      guard place + 1 < bytes.count, bytes[place + 1] == 10 else { return true }
      place += 2
    }
  }
}
