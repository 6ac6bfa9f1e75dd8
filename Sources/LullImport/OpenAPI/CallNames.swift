/// Names for calls: what the document says, and something for what it does not name.
struct CallNames {
  private var used: Set<[UInt8]> = []
  /// The number of the last one of a name that several have.
  private var numbers: [[UInt8]: Int] = [:]
  private static let longest = 120

  /// - Returns: the name, and what it was to be if somebody else has that already.
  mutating func name(for id: String?, method: String, path: String) -> (
    name: String, taken: String?
  ) {
    let wanted = id.flatMap(CallNames.printable) ?? CallNames.made(method, path)
    var name = wanted
    while !used.insert(Array(name.utf8)).inserted {
      let number = numbers[Array(wanted.utf8), default: 1] + 1
      numbers[Array(wanted.utf8)] = number
      name = "\(wanted)_\(number)"
    }
    return (name, name == wanted ? nil : wanted)
  }

  /// Without what is not to be seen, and nothing that looks like an option; nil if nothing is left.
  private static func printable(_ id: String) -> String? {
    var name = ""
    for scalar in id.unicodeScalars.prefix(longest) {
      name.unicodeScalars.append(
        LuaLiteral.isHidden(scalar) || scalar.properties.isWhitespace && scalar != " "
          ? "_" : scalar)
    }
    while name.first == " " { name.removeFirst() }
    while name.last == " " { name.removeLast() }
    if name.hasPrefix("-") { name = "_" + name }
    return name.isEmpty ? nil : name
  }

  private static func made(_ method: String, _ path: String) -> String {
    var name = method.lowercased()
    for part in path.unicodeScalars.prefix(4 * longest).split(whereSeparator: { scalar in
      !(scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)))
    }) {
      name += "_" + String(String.UnicodeScalarView(part))
    }
    return String(name.prefix(longest))
  }
}
