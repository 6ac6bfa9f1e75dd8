import CYAML
package import LullCore
package import LullSystem

extension LibraryVersion {
  /// The version of the YAML library, which this property loads. Any thread.
  package static var yaml: LibraryVersion {
    LibraryVersion("libyaml", for: "lull import of YAML", debian: "libyaml-0-2") {
      cyaml_version(&$0)
    }
  }
}

/// Converts YAML to JSON.
///
/// Only one document is read. Scalars follow the core schema of YAML 1.2. Keys are strings, and
/// they are unique in their mapping. Aliases and merge keys (`<<`) are expanded within limits.
package struct YAMLReader {
  private static let deepest = 200
  /// The maximum size of the resulting JSON in bytes, in addition to twice the size of the text.
  private static let mostExpanded = 32 << 20

  /// A key of a mapping, and the JSON of its value.
  private typealias Member = (key: [UInt8], json: [UInt8])

  /// The value that an anchor marks.
  private struct Anchored {
    var json: [UInt8]
    /// The members of the value, if it is a mapping.
    var members: [Member]?
  }

  /// A mapping or sequence that is being read.
  private struct Level {
    let isMapping: Bool
    let start: Int
    let anchor: String?
    /// The line where the mapping or sequence starts, for messages.
    let line: Int
    let column: Int
    var count = 0
    /// The key whose value is read next.
    var key: [UInt8]?
    var keyStart = 0
    var keys: Set<[UInt8]> = []
    /// Whether the members are kept, because another mapping may merge this one.
    var keepsMembers = false
    var members: [Member] = []
    /// The members of the mappings that are merged into this one.
    var merged: [Member] = []
    /// Whether this is a sequence of mappings that are all merged into the enclosing mapping.
    var mergesElements = false
    var isMerging = false
  }

  private var output: [UInt8] = []
  private var levels: [Level] = []
  private var anchors: [String: Anchored] = [:]
  private var openAnchors: Set<String> = []
  private let limit: Int
  /// The number of bytes that are stored for later aliases.
  private var kept = 0
  /// The number of bytes that aliases have expanded to. It includes values that were discarded.
  private var expanded = 0
  private var isComplete = false
  private var tab: BlockScalarTab?

  /// The maximum number of bytes that are read again because of tabs in block scalars, in addition
  /// to 16 times the size of the text.
  private static let mostRepeated = 64 << 20

  package static func document(of bytes: [UInt8]) throws(DocumentProblem) -> JSONDocument {
    var bytes = bytes
    var repeated = 16 * bytes.count + mostRepeated
    while true {
      let reader: YAMLReader
      do throws(Stop) {
        reader = try YAMLReader(reading: bytes)
      } catch {
        repeated -= bytes.count
        guard repeated >= 0, let tab = error.tab, tab.writeIndicator(in: &bytes) else {
          throw error.problem
        }
        continue
      }
      do throws(JSONError) {
        return try JSONDocument(parsing: reader.output)
      } catch {
        throw DocumentProblem(error.message)
      }
    }
  }

  /// The reason why reading stopped before the end of the document.
  private struct Stop: Error {
    var problem: DocumentProblem
    /// The block scalar that begins with a tab, which libyaml can't read without an indentation
    /// indicator.
    var tab: BlockScalarTab?
  }

  private init(reading bytes: [UInt8]) throws(Stop) {
    self.init(inputCount: bytes.count)
    var failure: Stop?
    bytes.withUnsafeBufferPointer { buffer in
      do throws(DocumentProblem) {
        try read(buffer)
      } catch {
        failure = Stop(problem: error, tab: tab)
      }
    }
    if let failure { throw failure }
  }

  private init(inputCount: Int) {
    limit = 2 * inputCount + YAMLReader.mostExpanded
    output.reserveCapacity(inputCount)
  }

  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(DocumentProblem) {
    var problem: UnsafePointer<CChar>?
    // The bytes stay valid until the reader is closed at the end of this function.
    guard let reader = cyaml_open(bytes.baseAddress, bytes.count, &problem) else {
      throw DocumentProblem(problem.map { String(cString: $0) } ?? "YAML cannot be read")
    }
    defer { cyaml_close(reader) }
    var event = cyaml_event()
    var documents = 0
    while true {
      cyaml_next(reader, &event)
      switch event.kind {
      case CYAML_END:
        guard isComplete else { throw DocumentProblem("the document is empty") }
        return
      case CYAML_PROBLEM:
        if event.indicator > 0 {
          tab = BlockScalarTab(header: event.header, indicator: Int(event.indicator))
        }
        throw at(event, event.problem.map { String(cString: $0) } ?? "malformed YAML")
      case CYAML_DOCUMENT:
        documents += 1
        guard documents == 1 else { throw at(event, "the file has more than one YAML document") }
      default: try take(event)
      }
      guard output.count + kept <= limit else {
        throw at(event, "anchors and aliases expand the document to more than \(limit >> 20) MB")
      }
    }
  }

  private func at(_ event: cyaml_event, _ text: String) -> DocumentProblem {
    DocumentProblem(text, line: Int(event.line), column: Int(event.column))
  }

  // MARK: Events

  private mutating func take(_ event: cyaml_event) throws(DocumentProblem) {
    switch event.kind {
    case CYAML_SCALAR:
      let text = UnsafeBufferPointer(start: event.text, count: event.length)
      if isAwaitingKey {
        try takeKey(Array(text), event)
      } else {
        let start = try beginValue(event)
        try write(text, event)
        try endValue(from: start, anchor: name(event.anchor), members: nil, event)
      }
    case CYAML_ALIAS: try takeAlias(event)
    case CYAML_MAPPING, CYAML_SEQUENCE:
      guard !isAwaitingKey else {
        throw at(
          event,
          "a key is a \(event.kind == CYAML_MAPPING ? "mapping" : "list"), but JSON needs a string")
      }
      try checkTag(event, among: event.kind == CYAML_MAPPING ? ["map"] : ["seq"])
      guard levels.count < YAMLReader.deepest else {
        throw at(event, "the document is nested more than \(YAMLReader.deepest) levels deep")
      }
      let isMerging = levels.last?.isMerging ?? false
      let start = try beginValue(event)
      let anchor = name(event.anchor)
      if let anchor { openAnchors.insert(anchor) }
      var level = Level(
        isMapping: event.kind == CYAML_MAPPING, start: start, anchor: anchor,
        line: Int(event.line), column: Int(event.column))
      level.mergesElements = isMerging && !level.isMapping
      level.keepsMembers =
        level.isMapping
        && (anchor != nil || isMerging || levels.last?.mergesElements == true)
      levels.append(level)
      output.append(UInt8(ascii: level.isMapping ? "{" : "["))
    default: try endLevel(event)
    }
  }

  private var isAwaitingKey: Bool {
    guard let level = levels.last else { return false }
    return level.isMapping && level.key == nil
  }

  private mutating func takeKey(_ key: [UInt8], _ event: cyaml_event) throws(DocumentProblem) {
    try checkTag(event, among: ["str", "int", "float", "bool", "null", "merge"])
    let last = levels.count - 1
    if key.elementsEqual("<<".utf8), event.is_plain != 0 {
      levels[last].key = key
      levels[last].isMerging = true
      levels[last].keyStart = output.count
      return
    }
    guard levels[last].keys.insert(key).inserted else {
      throw at(event, "the key '\(String(escaping: key))' occurs twice")
    }
    levels[last].keyStart = output.count
    if levels[last].count > 0 { output.append(UInt8(ascii: ",")) }
    let start = output.count
    writeString(key)
    if let anchor = name(event.anchor) { keep(Array(output[start...]), nil, as: anchor) }
    output.append(UInt8(ascii: ":"))
    levels[last].key = key
  }

  /// Writes the separator before a value. Returns the position in the output where the value
  /// begins.
  private mutating func beginValue(_ event: cyaml_event) throws(DocumentProblem) -> Int {
    guard let last = levels.indices.last else {
      guard !isComplete else { throw at(event, "the file has more than one YAML document") }
      return output.count
    }
    if !levels[last].isMapping, levels[last].count > 0 { output.append(UInt8(ascii: ",")) }
    return output.count
  }

  private mutating func keep(_ json: [UInt8], _ members: [Member]?, as anchor: String) {
    openAnchors.remove(anchor)
    kept += json.count
    anchors[anchor] = Anchored(json: json, members: members)
  }

  private mutating func endValue(
    from start: Int, anchor: String?, members: [Member]?, _ event: cyaml_event
  ) throws(DocumentProblem) {
    if let anchor { keep(Array(output[start...]), members, as: anchor) }
    guard let last = levels.indices.last else {
      isComplete = true
      return
    }
    if levels[last].isMerging || levels[last].mergesElements {
      guard let members else { throw at(event, "'<<' can only merge mappings") }
      levels[last].merged += members
    }
    if levels[last].isMerging {
      // The merged members are written at the end of the mapping, unless another member has the
      // same key.
      output.removeSubrange(levels[last].keyStart...)
      levels[last].key = nil
      levels[last].isMerging = false
      return
    }
    levels[last].count += 1
    if let key = levels[last].key {
      if levels[last].keepsMembers {
        levels[last].members.append((key, Array(output[start...])))
        kept += output.count - start
      }
      levels[last].key = nil
    }
  }

  private mutating func endLevel(_ event: cyaml_event) throws(DocumentProblem) {
    guard var level = levels.popLast() else { return }
    if level.isMapping {
      for (key, json) in level.merged where level.keys.insert(key).inserted {
        guard output.count + kept <= limit else { break }
        if level.count > 0 { output.append(UInt8(ascii: ",")) }
        writeString(key)
        output.append(UInt8(ascii: ":"))
        output += json
        if level.keepsMembers {
          level.members.append((key, json))
          kept += json.count
        }
        level.count += 1
      }
      output.append(UInt8(ascii: "}"))
    } else {
      output.append(UInt8(ascii: "]"))
    }
    let members = level.isMapping ? level.members : level.mergesElements ? level.merged : nil
    try endValue(from: level.start, anchor: level.anchor, members: members, event)
  }

  private mutating func takeAlias(_ event: cyaml_event) throws(DocumentProblem) {
    let anchor = name(event.anchor) ?? ""
    guard let value = anchors[anchor], !openAnchors.contains(anchor) else {
      let isOpen = openAnchors.contains(anchor)
      throw at(
        event,
        isOpen
          ? "the alias *\(anchor) is inside its own anchor" : "there is no anchor &\(anchor)"
      )
    }
    if isAwaitingKey {
      guard let key = (try? JSONDocument(parsing: value.json))?.root.string else {
        throw at(event, "a key is an alias of a value that is not a string")
      }
      return try takeKey(Array(key.utf8), event)
    }
    let start = try beginValue(event)
    expanded += value.json.count
    guard output.count + kept + value.json.count <= limit, expanded <= limit else {
      throw at(event, "anchors and aliases expand the document to more than \(limit >> 20) MB")
    }
    output += value.json
    try endValue(from: start, anchor: nil, members: value.members, event)
  }

  // MARK: Values

  private mutating func write(
    _ text: UnsafeBufferPointer<UInt8>, _ event: cyaml_event
  ) throws(DocumentProblem) {
    try checkTag(
      event, among: ["str", "int", "float", "bool", "null", "binary", "timestamp", "merge"])
    let tag = name(event.tag)
    let isText =
      tag == "!"
      || tag.map { ["str", "binary", "timestamp"].contains(YAMLReader.word($0)) } ?? false
    guard !isText, event.is_plain != 0 || tag != nil else { return writeString(text) }
    switch YAMLScalar.kind(text) {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .number(let digits): output += digits
    case .string:
      if let tag, ["int", "float", "bool", "null"].contains(YAMLReader.word(tag)) {
        throw at(
          event,
          "'\(String(escaping: text))' does not have the type of its tag !!\(YAMLReader.word(tag))")
      }
      writeString(text)
    }
  }

  private func checkTag(_ event: cyaml_event, among words: [String]) throws(DocumentProblem) {
    guard let tag = name(event.tag), tag != "!" else { return }
    guard tag.hasPrefix(YAMLReader.tagPrefix), words.contains(YAMLReader.word(tag)) else {
      let shown = tag.hasPrefix(YAMLReader.tagPrefix) ? "!!" + YAMLReader.word(tag) : tag
      throw at(event, "the tag \(shown) is not supported: JSON values need no tags")
    }
  }

  private static let tagPrefix = "tag:yaml.org,2002:"

  private static func word(_ tag: String) -> String { String(tag.dropFirst(tagPrefix.count)) }

  private func name(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }

  private mutating func writeString(_ text: some Collection<UInt8>) {
    output.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        output += "\\u00".utf8
        output += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}

/// A block scalar whose first line begins with a tab after its indentation. The tab is part of the
/// text. (YAML 1.2, section 6.1)
///
/// libyaml would treat the tab as indentation. An indentation indicator in the header tells it
/// where the text begins.
struct BlockScalarTab {
  /// The number of characters in the document before the header of the scalar.
  let header: Int
  /// The indentation indicator to add to the header.
  let indicator: Int

  /// Inserts the indicator after the `|` or `>` of the header.
  ///
  /// - Returns: Whether the document has a header at this position, and the line after the header
  ///   begins with a tab.
  func writeIndicator(in bytes: inout [UInt8]) -> Bool {
    var place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var count = 0
    while place < bytes.count {
      // Count characters, so skip the continuation bytes of UTF-8.
      if bytes[place] & 0xC0 != 0x80 {
        if count == header { break }
        count += 1
      }
      place += 1
    }
    guard place < bytes.count, [UInt8(ascii: "|"), UInt8(ascii: ">")].contains(bytes[place]) else {
      return false
    }
    let rest = bytes[(place + 1)...]
    guard !rest.prefix(2).contains(where: { (0x31...0x39).contains($0) }),
      let end = rest.firstIndex(where: BlockScalarTab.isBreak),
      BlockScalarTab.beginWithTab(rest[end...])
    else { return false }
    bytes.insert(0x30 + UInt8(indicator), at: place + 1)
    return true
  }

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

  /// Whether the first line that is not empty begins with spaces and a tab. False if an empty line
  /// before it is longer than its leading spaces.
  private static func beginWithTab(_ lines: ArraySlice<UInt8>) -> Bool {
    var (spaces, most) = (0, 0)
    for byte in lines {
      switch byte {
      case _ where isBreak(byte):
        most = max(most, spaces)
        spaces = 0
      case 0x20: spaces += 1
      default: return byte == 9 && most <= spaces
      }
    }
    return false
  }
}
