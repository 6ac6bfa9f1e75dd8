/// Names that are each given once: what is called as something before it gets a number.
struct UniqueNames {
  private var taken: Set<String> = []

  mutating func name(for wanted: String) -> String {
    var name = wanted
    var number = 1
    while !taken.insert(name).inserted {
      number += 1
      name = "\(wanted)_\(number)"
    }
    return name
  }

  /// A parameter's key, such as Lua and the shell have it, for what is called so on the wire.
  mutating func key(for wire: String) -> String {
    name(for: UniqueNames.plain(wire, else: "value"))
  }

  /// Letters, digits, `_`, `-` and `.`, beginning with none of the last two.
  static func plain(_ text: String, else other: String) -> String {
    var plain = ""
    for character in text.prefix(80) {
      if character.isASCII, character.isLetter || character.isNumber || "_-.".contains(character) {
        plain.append(character)
      } else if !plain.hasSuffix("_"), !plain.isEmpty {
        plain.append("_")
      }
    }
    plain = String(plain.drop { "-.".contains($0) })
    while plain.hasSuffix("_") && !text.hasSuffix("_") { plain.removeLast() }
    return plain.isEmpty ? other : plain
  }
}
