import LullLibC

/// The letters with which the bridge checks the arguments of a member before calling it
/// (`lull_method.arguments`). There is one letter for each argument, derived from the member's
/// signatures.
///
/// The letters are derived at the first call of a member, while a script waits. So this code reads
/// bytes in place and creates no `APISignature`.
struct ArgumentLetters {
  typealias Text = UnsafeBufferPointer<UInt8>

  /// The kind of type that a name refers to.
  enum Named {
    case table, words, object
    /// The name is an alias for the type with this text.
    case alias(String)
  }

  private let named: (Text) -> Named

  /// - Parameter named: resolves the names of types, which begin with a capital letter.
  init(named: @escaping (Text) -> Named) { self.named = named }

  /// Returns the letters for the signatures of a member. `signatures` has one signature per line.
  /// If the signatures differ in an argument, each of its types is allowed. If a signature lacks an
  /// argument, that argument is optional.
  func letters(of signatures: Text) -> [UInt8] {
    var letters: [UInt8] = []
    var start = 0
    while start < signatures.count {
      let end = signatures[start...].firstIndex(of: UInt8(ascii: "\n")) ?? signatures.count
      let parameters = self.parameters(of: Text(rebasing: signatures[start..<end]))
      if start == 0 {
        letters = parameters
      } else {
        merge(parameters, into: &letters)
      }
      start = end + 1
    }
    if let free = letters.firstIndex(of: UInt8(ascii: "*")) {
      letters.removeSubrange((free + 1)...)
    }
    return letters
  }

  private func merge(_ others: [UInt8], into letters: inout [UInt8]) {
    for position in 0..<max(letters.count, others.count) {
      if position >= letters.count {
        letters.append(ArgumentLetters.optional(others[position]))
      } else if position >= others.count {
        letters[position] = ArgumentLetters.optional(letters[position])
      } else {
        letters[position] = common(letters[position], others[position])
      }
    }
  }

  private func parameters(of signature: Text) -> [UInt8] {
    var letters: [UInt8] = []
    var start = 1
    while start < signature.count {
      let end = ArgumentLetters.end(of: signature, from: start, at: UInt8(ascii: ","))
      let part = ArgumentLetters.trimmed(signature, start, end)
      if !part.isEmpty { letters.append(letter(ofParameter: part)) }
      guard end < signature.count, signature[end] == UInt8(ascii: ",") else { break }
      start = end + 1
    }
    return letters
  }

  private func letter(ofParameter part: Text) -> UInt8 {
    guard part[0] != UInt8(ascii: "."), let colon = part.firstIndex(of: UInt8(ascii: ":")) else {
      return UInt8(ascii: "*")
    }
    let letter = self.letter(ArgumentLetters.trimmed(part, colon + 1, part.count))
    let isOptional = colon > 0 && part[colon - 1] == UInt8(ascii: "?")
    return isOptional ? ArgumentLetters.optional(letter) : letter
  }

  /// Returns the letter of a type, in upper case if nil is allowed.
  private func letter(_ type: Text) -> UInt8 {
    var letter: UInt8?
    var mayBeNil = false
    var start = 0
    while start < type.count {
      let isFunction = ArgumentLetters.has(type, "fun(", at: start)
      // A bar after `fun(` belongs to the function's result type.
      let end =
        isFunction
        ? type.count : ArgumentLetters.end(of: type, from: start, at: UInt8(ascii: "|"))
      let choice = Text(rebasing: type[start..<end])
      start = end + 1
      if choice.count == 3, ArgumentLetters.has(choice, "nil", at: 0) {
        mayBeNil = true
        continue
      }
      let other = isFunction ? UInt8(ascii: "f") : single(choice)
      letter = letter.map { common($0, other) } ?? other
    }
    let found = letter ?? UInt8(ascii: "v")
    return mayBeNil ? ArgumentLetters.optional(found) : found
  }

  private func single(_ type: Text) -> UInt8 {
    guard let first = type.first, let last = type.last else { return UInt8(ascii: "v") }
    if last == UInt8(ascii: "?") {
      return ArgumentLetters.optional(letter(Text(rebasing: type.dropLast())))
    }
    if last == UInt8(ascii: "]") || first == UInt8(ascii: "{") { return UInt8(ascii: "t") }
    if first == UInt8(ascii: "\"") { return UInt8(ascii: "s") }
    if ArgumentLetters.has(type, "table<", at: 0) { return UInt8(ascii: "t") }
    switch type.count {
    case 5 where ArgumentLetters.has(type, "table", at: 0): return UInt8(ascii: "t")
    case 6 where ArgumentLetters.has(type, "string", at: 0): return UInt8(ascii: "s")
    case 6 where ArgumentLetters.has(type, "number", at: 0): return UInt8(ascii: "n")
    case 7 where ArgumentLetters.has(type, "integer", at: 0): return UInt8(ascii: "i")
    case 7 where ArgumentLetters.has(type, "boolean", at: 0): return UInt8(ascii: "b")
    case 8 where ArgumentLetters.has(type, "function", at: 0): return UInt8(ascii: "f")
    default: break
    }
    guard first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z") else { return UInt8(ascii: "v") }
    switch named(type) {
    case .table: return UInt8(ascii: "t")
    case .words: return UInt8(ascii: "s")
    case .object: return UInt8(ascii: "v")
    case .alias(var other): return other.withUTF8 { letter($0) }
    }
  }

  /// Returns a letter that allows the values of both letters. It is in upper case, which allows
  /// nil, if one of them is.
  private func common(_ one: UInt8, _ other: UInt8) -> UInt8 {
    let star = UInt8(ascii: "*")
    if one == star || other == star { return star }
    let (a, b) = (one | 0x20, other | 0x20)
    let areTablesOrFunctions = "tfo".utf8.contains(a) && "tfo".utf8.contains(b)
    let letter = a == b ? a : areTablesOrFunctions ? UInt8(ascii: "o") : UInt8(ascii: "v")
    return one == a && other == b ? letter : ArgumentLetters.optional(letter)
  }

  // MARK: Text

  private static func optional(_ letter: UInt8) -> UInt8 {
    letter == UInt8(ascii: "*") ? letter : letter & ~0x20
  }

  /// Returns the index of the next separator or closing bracket. Nested brackets and their contents
  /// are skipped.
  private static func end(of text: Text, from start: Int, at separator: UInt8) -> Int {
    var depth = 0
    for index in start..<text.count {
      switch text[index] {
      case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: ">"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        depth -= 1
      case separator where depth == 0: return index
      default: break
      }
    }
    return text.count
  }

  private static func trimmed(_ text: Text, _ start: Int, _ end: Int) -> Text {
    var (start, end) = (start, end)
    while start < end, text[start] == UInt8(ascii: " ") { start += 1 }
    while start < end, text[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return Text(rebasing: text[start..<end])
  }

  private static func has(_ text: Text, _ word: StaticString, at start: Int) -> Bool {
    guard text.count - start >= word.utf8CodeUnitCount, let base = text.baseAddress else {
      return false
    }
    return memcmp(base + start, word.utf8Start, word.utf8CodeUnitCount) == 0
  }
}
