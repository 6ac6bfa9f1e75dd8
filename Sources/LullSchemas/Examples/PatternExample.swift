/// Generates a text that matches a regular expression. All elements of the expression are included
/// in order, each repeated as rarely as possible.
struct PatternExample {
  private var rest: Substring
  /// The smallest number of repetitions for an element that can be repeated.
  private let times: Int

  /// Returns a text of `least` to `most` characters that matches a pattern; nil if none is found.
  static func text(_ pattern: String, least: Int, most: Int) -> String? {
    guard let compiled = try? SchemaPattern(pattern) else { return nil }
    for times in [0, 1, least, 8] {
      var reader = PatternExample(rest: pattern[...], times: min(times, 1 << 12))
      guard let text = reader.alternatives(depth: 0), reader.rest.isEmpty,
        (least...most).contains(text.unicodeScalars.count)
      else { continue }
      var found = text
      if found.withUTF8({ compiled.isFound(in: $0) }) == true { return text }
    }
    return nil
  }

  /// Returns the text of the first alternative, and skips the others.
  private mutating func alternatives(depth: Int) -> String? {
    guard depth < 50, let first = sequence(depth) else { return nil }
    while rest.first == "|" {
      rest = rest.dropFirst()
      guard sequence(depth) != nil else { return nil }
    }
    return first
  }

  private mutating func sequence(_ depth: Int) -> String? {
    var text = ""
    while let next = rest.first, next != "|", next != ")" {
      guard let part = atom(depth) else { return nil }
      text += repeated(part)
      guard text.utf8.count < 1 << 16 else { return nil }
    }
    return text
  }

  private mutating func atom(_ depth: Int) -> String? {
    guard let next = rest.popFirst() else { return nil }
    switch next {
    case "^", "$": return ""
    case ".": return "a"
    case "(":
      if rest.hasPrefix("?:") { rest = rest.dropFirst(2) } else if rest.first == "?" { return nil }
      guard let text = alternatives(depth: depth + 1), rest.popFirst() == ")" else { return nil }
      return text
    case "[": return characterClass()
    case "\\": return escape()
    default: return String(next)
    }
  }

  private mutating func escape() -> String? {
    guard let escaped = rest.popFirst() else { return nil }
    switch escaped {
    case "d": return "0"
    case "w": return "a"
    case "s": return " "
    case "D", "S": return "a"
    case "W": return "-"
    case "b": return ""
    case "n": return "\n"
    case "t": return "\t"
    default: return escaped.isLetter || escaped.isNumber ? nil : String(escaped)
    }
  }

  /// Returns a character that a character class contains. For a negated class, returns a character
  /// that the class does not exclude.
  private mutating func characterClass() -> String? {
    let isNegated = rest.first == "^"
    if isNegated { rest = rest.dropFirst() }
    var members: [String] = []
    while let next = rest.popFirst(), next != "]" {
      if next == "\\" {
        guard let text = escape() else { return nil }
        members.append(text)
      } else if next == "-", let end = rest.first, end != "]", !members.isEmpty {
        // Only the first character of a range is used.
        rest = rest.dropFirst()
      } else {
        members.append(String(next))
      }
    }
    guard isNegated else { return members.first }
    return ["a", "0", "-", "Z", "_"].first { !members.contains($0) }
  }

  private mutating func repeated(_ part: String) -> String {
    var count = 1
    switch rest.first {
    case "*": count = times
    case "+": count = max(1, times)
    case "?": count = min(1, times)
    case "{":
      guard let end = rest.firstIndex(of: "}") else { return part }
      let bounds = rest[rest.index(after: rest.startIndex)..<end].split(
        separator: ",", omittingEmptySubsequences: false)
      guard let least = bounds.first.flatMap({ Int($0) }) else { return part }
      let most = bounds.count > 1 ? Int(bounds[1]) ?? Int.max : least
      rest = rest[rest.index(after: end)...]
      count = min(max(least, times), most, 1 << 12)
      if rest.first == "?" { rest = rest.dropFirst() }
      return String(repeating: part, count: count)
    default: return part
    }
    rest = rest.dropFirst()
    if rest.first == "?" { rest = rest.dropFirst() }
    return String(repeating: part, count: count)
  }
}
