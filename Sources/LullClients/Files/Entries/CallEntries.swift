import LullCore

/// The calls of an API file that stand in its text as data, and the text without them.
///
/// What they say can be read one by one, when it is asked for. There are none of a text that has its calls in another
/// way, has two of one name, or has something else that is unusual.
struct CallEntries {
  /// Of those that are more than data too, in the order of the file.
  let names: [String]
  /// The text without those that are data; what is left stands on the lines that it stood on.
  let rest: [UInt8]
  /// Whether one of them has a schema.
  let haveSchemas: Bool
  private let entries: [CallEntry]
  /// Where each is; -1 of those that are more than data.
  private let places: [String: Int]
  private let requiresLull: Bool

  init?(_ source: [UInt8]) {
    guard let found = CallEntries.find(in: source) else { return nil }
    var names: [(line: Int, name: String)] = []
    var entries: [CallEntry] = []
    var places: [String: Int] = [:]
    names.reserveCapacity(found.entries.count)
    entries.reserveCapacity(found.entries.count)
    places.reserveCapacity(found.entries.count)
    var rest: [UInt8] = []
    var copied = 0
    for entry in found.entries {
      guard let name = entry.key.text(in: source), APIDeclaration.isCallName(name),
        places.updateValue(entry.outline == nil ? -1 : entries.count, forKey: name) == nil
      else { return nil }
      names.append((entry.lineEndsBeforeName, name))
      guard let outline = entry.outline else { continue }
      entries.append(
        CallEntry(
          name: name, range: entry.range, lineEnds: entry.lineEnds, outline: outline))
      rest += source[copied..<entry.range.lowerBound]
      rest += repeatElement(10, count: entry.lineEnds.count - 1)
      copied = entry.range.upperBound
      if let separator = entry.separator {
        rest += source[copied..<separator]
        copied = separator + 1
      }
    }
    guard !entries.isEmpty else { return nil }
    rest += source[copied...]
    if zip(names, names.dropFirst()).contains(where: { $0.line >= $1.line }) {
      names.sort { ($0.line, $0.name) < ($1.line, $1.name) }
    }
    self.names = names.map(\.name)
    self.entries = entries
    self.places = places
    self.rest = rest
    haveSchemas = entries.contains(where: \.outline.hasSchema)
    requiresLull = found.requiresLull
  }

  /// Those that are data.
  var all: [CallEntry] { entries }

  /// The one of that name, if it is data.
  func entry(_ name: String) -> CallEntry? {
    places[name].flatMap { $0 < 0 ? nil : entries[$0] }
  }

  /// A text that gives a table of some of them, each on the lines of the file.
  ///
  /// - Parameter wanted: in the order of the file.
  func text(of wanted: [CallEntry], in source: [UInt8]) -> [UInt8] {
    let usesLull = requiresLull && wanted.contains(where: \.outline.usesLull)
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
    source.withUnsafeBufferPointer { bytes in
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
