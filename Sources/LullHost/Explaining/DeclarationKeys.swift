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
