/// The letters by which the bridge checks arguments before a member's function runs, one for each
/// (`lull_method.arguments`), derived from the member's signatures.
///
/// Derived at the first call of a member, so it reads bytes and makes no `APISignature`.
struct ArgumentLetters {
  private typealias Text = ArraySlice<UInt8>

  /// What a type of the description is, by its name.
  enum Named {
    case table, words, object
    /// Another name for this type.
    case alias(String)
  }

  private let named: (String) -> Named

  /// - Parameter named: asked for types that begin with a capital letter.
  init(named: @escaping (String) -> Named) { self.named = named }

  /// One signature a line. Where they differ, an argument may be what any of them takes, and may be
  /// left out if one has fewer.
  func letters(of signatures: [UInt8]) -> [UInt8] {
    let lists = signatures.split(separator: UInt8(ascii: "\n")).map(parameters)
    var letters: [UInt8] = []
    for position in 0..<(lists.map(\.count).max() ?? 0) {
      let parameters = lists.compactMap { position < $0.count ? $0[position] : nil }
      if parameters.contains(where: \.isVariadic) {
        letters.append(UInt8(ascii: "*"))
        break
      }
      let isOptional = parameters.count < lists.count || parameters.contains(where: \.isOptional)
      let letter = common(parameters.map(\.letter))
      letters.append(isOptional ? letter & ~0x20 : letter)
    }
    return letters
  }

  private struct Parameter {
    var letter = UInt8(ascii: "v")
    var isOptional = false
    var isVariadic = false
  }

  private func parameters(of signature: Text) -> [Parameter] {
    let inside = ArgumentLetters.bracketed(signature)
    return ArgumentLetters.split(inside, at: UInt8(ascii: ",")).map { part in
      let part = ArgumentLetters.trimmed(part)
      guard !part.starts(with: "...".utf8), let colon = part.firstIndex(of: UInt8(ascii: ":"))
      else { return Parameter(isVariadic: true) }
      let (letter, mayBeNil) = self.letter(ArgumentLetters.trimmed(part[(colon + 1)...]))
      return Parameter(
        letter: letter,
        isOptional: mayBeNil || part[..<colon].last == UInt8(ascii: "?"))
    }
  }

  /// The letter of a type, in lower case, and whether nil is among its values.
  private func letter(_ type: Text) -> (letter: UInt8, mayBeNil: Bool) {
    let choices = ArgumentLetters.split(type, at: UInt8(ascii: "|"))
    guard choices.count == 1, let choice = choices.first else {
      let values = choices.filter { !$0.elementsEqual("nil".utf8) }
      let parts = values.map(letter)
      return (
        common(parts.map(\.letter)),
        values.count < choices.count || parts.contains(where: \.mayBeNil)
      )
    }
    let isFunction = choice.starts(with: "fun(".utf8)
    if !isFunction, choice.last == UInt8(ascii: "?") {
      return (letter(choice.dropLast()).letter, true)
    }
    return isFunction ? (UInt8(ascii: "f"), false) : single(choice)
  }

  private func single(_ type: Text) -> (letter: UInt8, mayBeNil: Bool) {
    let isCompound = type.last == UInt8(ascii: "]") || type.first == UInt8(ascii: "{")
    if isCompound || type.starts(with: "table<".utf8) { return (UInt8(ascii: "t"), false) }
    if type.first == UInt8(ascii: "\"") { return (UInt8(ascii: "s"), false) }
    let name = String(decoding: type, as: UTF8.self)
    switch name {
    case "string": return (UInt8(ascii: "s"), false)
    case "number": return (UInt8(ascii: "n"), false)
    case "integer": return (UInt8(ascii: "i"), false)
    case "boolean": return (UInt8(ascii: "b"), false)
    case "function": return (UInt8(ascii: "f"), false)
    case "table": return (UInt8(ascii: "t"), false)
    default: break
    }
    guard let first = type.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z") else {
      return (UInt8(ascii: "v"), false)
    }
    switch named(name) {
    case .table: return (UInt8(ascii: "t"), false)
    case .words: return (UInt8(ascii: "s"), false)
    case .object: return (UInt8(ascii: "v"), false)
    case .alias(let other): return letter(Array(other.utf8)[...])
    }
  }

  /// One letter for values that fit any of several.
  private func common(_ letters: [UInt8]) -> UInt8 {
    guard let first = letters.first else { return UInt8(ascii: "v") }
    if letters.allSatisfy({ $0 == first }) { return first }
    let tableOrFunction = "tfo".utf8
    return letters.allSatisfy(tableOrFunction.contains) ? UInt8(ascii: "o") : UInt8(ascii: "v")
  }

  // MARK: Text

  private static func isOpening(_ byte: UInt8) -> Bool { "({<[".utf8.contains(byte) }
  private static func isClosing(_ byte: UInt8) -> Bool { ")}>]".utf8.contains(byte) }

  /// What is inside the brackets that the text begins with.
  private static func bracketed(_ text: Text) -> Text {
    var depth = 0
    for index in text.indices {
      if isOpening(text[index]) { depth += 1 }
      if isClosing(text[index]) { depth -= 1 }
      if depth == 0 { return text[text.startIndex..<index].dropFirst() }
    }
    return []
  }

  /// The parts between separators outside brackets. A bar behind `fun(` belongs to the function's
  /// result.
  private static func split(_ text: Text, at separator: UInt8) -> [Text] {
    var parts: [Text] = []
    var depth = 0
    var start = text.startIndex
    for index in text.indices {
      let byte = text[index]
      if isOpening(byte) { depth += 1 }
      if isClosing(byte) { depth -= 1 }
      guard byte == separator, depth == 0 else { continue }
      if separator == UInt8(ascii: "|"), text[start...].starts(with: "fun(".utf8) { continue }
      parts.append(text[start..<index])
      start = index + 1
    }
    if start < text.endIndex { parts.append(text[start...]) }
    return parts
  }

  private static func trimmed(_ text: Text) -> Text {
    var text = text.drop { $0 == UInt8(ascii: " ") }
    while text.last == UInt8(ascii: " ") { text = text.dropLast() }
    return text
  }
}
