import LullCore

/// Finds the lines on which keys of a table stand in a source text, for messages about what has become
/// of them: values do not know where they come from.
///
/// The text is looked through at the first question.
package struct DeclarationPlaces {
  private final class Text {
    let source: [UInt8]
    lazy var tokens = LineToken.all(in: source)
    lazy var lineEnds = source.indices.filter { source[$0] == 10 }

    init(_ source: [UInt8]) { self.source = source }
  }

  package var tokens: [LineToken] { text.tokens }
  private var lineEnds: [Int] { text.lineEnds }
  private let text: Text
  private let index = DeclarationKeys()

  package init(_ source: [UInt8]) { text = Text(source) }

  /// The line of a key that stands in the table of the key before it, and so on; where one is not found,
  /// that of the one before it; 0 if there is none at all.
  package func line(of keys: [String]) -> Int {
    var found: Int?
    for key in keys {
      // A table that is made elsewhere may stand anywhere behind.
      guard
        let next = found.flatMap({ index.keys(inTableOf: $0, tokens)[key] })
          ?? index.first(key, behind: found ?? -1, tokens)
      else { break }
      found = next
    }
    return found.map { line(at: tokens[$0].range.lowerBound) } ?? 0
  }

  /// The keys that stand in the table of the first key of that name, in order.
  package func keys(of name: String) -> [String] {
    guard let place = index.first(name, behind: -1, tokens) else { return [] }
    return index.keys(inTableOf: place, tokens).sorted { $0.value < $1.value }.map(\.key)
  }

  /// Whether a key stands anywhere.
  package func has(_ key: String) -> Bool { index.first(key, behind: -1, tokens) != nil }

  /// The text that a key is given as it stands, where it stands in the table of the key before it, and so on;
  /// nil where it is given none, or what is made of several.
  package func literal(of keys: [String]) -> String? {
    var found: Int?
    for key in keys {
      guard
        let next = found.map({ index.keys(inTableOf: $0, tokens)[key] })
          ?? index.first(key, behind: -1, tokens)
      else { return nil }
      found = next
    }
    guard let found,
      let assignment = tokens[found...].prefix(3).firstIndex(where: { $0.isSymbol("=") }),
      assignment + 2 < tokens.count, tokens[assignment + 1].kind == .string,
      [",", ";", "}"].contains(where: { tokens[assignment + 2].isSymbol($0) })
    else { return nil }
    return tokens[assignment + 1].text
  }

  /// The line of the last `return`, of one that is in no block if there is any; or the first line.
  package var lineOfResult: Int {
    let result = tokens.resultIndex.map { tokens[$0] } ?? tokens.last { $0.isKeyword("return") }
    return result.map { line(at: $0.range.lowerBound) } ?? 1
  }

  package func line(at offset: Int) -> Int {
    DeclarationPlaces.first(lineEnds.count) { lineEnds[$0] >= offset } + 1
  }

  /// The index of the first token on a line, or behind it.
  func firstToken(onOrAfterLine line: Int) -> Int {
    DeclarationPlaces.first(tokens.count) { self.line(at: tokens[$0].range.lowerBound) >= line }
  }

  /// The first number below `count` for which something is so that stays so; else `count`.
  private static func first(_ count: Int, where isSo: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isSo(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension DeclarationPlaces {
  /// The line of a key inside the brackets of the call that begins on a line; nil if it is not there.
  package func line(of key: String, inCallOnLine line: Int) -> Int? {
    CallBrackets(self, line: line)?.lines[key.lowercased()]
  }
}

/// Where the keys of tables stand in a text, found once: a file may declare a thousand calls.
///
/// Of one text. Home thread only.
package final class DeclarationKeys {
  /// The places of each key, in order.
  private var places: [String: [Int]]?
  private var tables: [Int: [String: Int]] = [:]

  /// The first place of a key behind another one.
  func first(_ key: String, behind start: Int, _ tokens: [LineToken]) -> Int? {
    if places == nil {
      var found: [String: [Int]] = [:]
      for place in tokens.indices where DeclarationKeys.isKey(place, tokens) {
        found[DeclarationKeys.name(tokens[place]), default: []].append(place)
      }
      places = found
    }
    return places?[key]?.first { $0 > start }
  }

  /// Where keys stand in the table that the one at an index gets, not in those inside of it: of each the
  /// first place.
  func keys(inTableOf index: Int, _ tokens: [LineToken]) -> [String: Int] {
    if let known = tables[index] { return known }
    var keys: [String: Int] = [:]
    if let assignment = tokens[index...].firstIndex(where: { $0.isSymbol("=") }) {
      // `= {`, or `= with_pages{`
      var depth = 0
      for place in tokens.indices.dropFirst(assignment + 1) {
        let token = tokens[place]
        if token.isSymbol("{") { depth += 1 }
        if token.isSymbol("}") { depth -= 1 }
        if depth < 0 || depth == 0 && (token.isSymbol("}") || token.isSymbol(",")) { break }
        guard depth == 1, DeclarationKeys.isKey(place, tokens) else { continue }
        let name = DeclarationKeys.name(token)
        if keys[name] == nil { keys[name] = place }
      }
    }
    tables[index] = keys
    return keys
  }

  /// What a key says. A long text is broken into lines by `\z`.
  package static func name(_ token: LineToken) -> String {
    guard token.kind == .string, token.text.utf8.contains(UInt8(ascii: "\\")),
      // Between quotes, where there are escapes.
      token.range.count == token.text.utf8.count + 2
    else { return token.text }
    let bytes = StringEscapes.bytes(of: token.text.utf8)
    return bytes.flatMap { String(validating: $0, as: UTF8.self) } ?? token.text
  }

  /// `key =` and `["key"] =`
  private static func isKey(_ index: Int, _ tokens: [LineToken]) -> Bool {
    let token = tokens[index]
    guard token.kind == .name || token.kind == .string else { return false }
    let next = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
    if token.kind == .string { return next?.text == "]" }
    return next?.text == "="
  }
}

/// The tokens between the brackets of a call.
struct CallBrackets {
  private let places: DeclarationPlaces
  private let tokens: ArraySlice<LineToken>

  /// nil if no bracket is opened on that line.
  init?(_ places: DeclarationPlaces, line: Int) {
    self.places = places
    let all = places.tokens
    let lineStart = places.firstToken(onOrAfterLine: line)
    guard
      let open = all[lineStart...].prefix(while: {
        places.line(at: $0.range.lowerBound) == line
      }).firstIndex(where: { $0.isSymbol("(") || $0.isSymbol("{") })
    else { return nil }
    var depth = 0
    var end = open
    while end < all.count {
      if all[end].kind == .symbol {
        if "({[".contains(all[end].text) { depth += 1 }
        if ")}]".contains(all[end].text) { depth -= 1 }
        if depth == 0 { break }
      }
      end += 1
    }
    tokens = all[open..<min(end, all.count)]
  }

  /// Where `key =` and `["key"] =` stand first, by the key in lower case.
  var lines: [String: Int] {
    var lines: [String: Int] = [:]
    for index in tokens.indices.dropLast() {
      let token = tokens[index]
      guard token.kind == .name || token.kind == .string,
        tokens[index + 1].text == (token.kind == .name ? "=" : "]")
      else { continue }
      let key = token.text.lowercased()
      if lines[key] == nil { lines[key] = places.line(at: token.range.lowerBound) }
    }
    return lines
  }
}

/// Lines of keys in calls: each file is read once, and each call.
final class CallLines {
  private let sources: ChunkSources
  private var files: [String: DeclarationPlaces?] = [:]
  private var calls: [SourcePlace: [String: Int]] = [:]

  init(_ sources: ChunkSources) {
    self.sources = sources
  }

  /// The line of a key inside the brackets of the call at a place; nil if it is not there, as where the
  /// table was made elsewhere.
  func line(of key: String, inCallAt place: SourcePlace) -> Int? {
    if let lines = calls[place] { return lines[key.lowercased()] }
    let lines = places(in: place.file).flatMap { CallBrackets($0, line: place.line)?.lines } ?? [:]
    calls[place] = lines
    return lines[key.lowercased()]
  }

  private func places(in file: String) -> DeclarationPlaces? {
    if let known = files[file] { return known }
    let text = sources.source(named: file).flatMap { sources.text(of: $0) }
    let places = text.map { DeclarationPlaces($0) }
    files[file] = .some(places)
    return places
  }
}

/// What escapes in strings of Lua source stand for. (Lua 5.4 manual, section 3.1)
package enum StringEscapes {
  /// The bytes of a string as it stands between its quotes; nil with escapes that people do not write.
  package static func bytes(of written: some Collection<UInt8>) -> [UInt8]? {
    var rest = Array(written)[...]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(rest.count)
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "t"): bytes.append(9)
      case UInt8(ascii: "r"): bytes.append(13)
      case let quoted? where "\\\"'".utf8.contains(quoted): bytes.append(quoted)
      case UInt8(ascii: "z"): rest = rest.drop { $0 == 32 || (9...13).contains($0) }
      case UInt8(ascii: "u"):
        guard rest.popFirst() == UInt8(ascii: "{"),
          let end = rest.firstIndex(of: UInt8(ascii: "}")),
          let digits = String(validating: rest[..<end], as: UTF8.self),
          let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        else { return nil }
        bytes += Array(String(scalar).utf8)
        rest = rest[(end + 1)...]
      default: return nil
      }
    }
    return bytes
  }
}
