/// Types of the description as LuaCATS wants them.
struct AnnotationTypes {
  private let description: APIDescription

  init(_ description: APIDescription) { self.description = description }

  /// With the module's name before the names of the description's own types.
  func written(_ type: String) -> String {
    var result = ""
    var word = ""
    for character in type + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
        continue
      }
      result += isOwn(word) ? "lull." + word : word
      word = ""
      result.append(character)
    }
    result.removeLast()
    return result
  }

  private func isOwn(_ word: String) -> Bool {
    guard let first = word.first, first.isUppercase else { return false }
    return description.owner(word) != nil
  }

  /// `fun(path: string): lull.Resource`, with `self` before the parameters of a method.
  func function(_ signature: APISignature, of owner: String? = nil) -> String {
    var parameters = owner.map { ["self: \($0)"] } ?? []
    parameters += signature.parameters.map { parameter in
      let mark = parameter.isOptional && !parameter.isVariadic ? "?" : ""
      return
        "\(AnnotationTypes.safe(parameter.name))\(mark): \(written(AnnotationTypes.bare(parameter.type)))"
    }
    let returns = signature.returns.map { $0 == "..." ? "any" : written($0) }
    return "fun(\(parameters.joined(separator: ", ")))"
      + (returns.isEmpty ? "" : ": " + returns.joined(separator: ", "))
  }

  /// Whether nil is among what a field may be. A question mark after a function's result is the
  /// result's.
  static func isOptional(_ type: String) -> Bool {
    type == "any" || type == "fun()?" || hasMark(type) || choices(type).contains("nil")
  }

  /// The type without what says that it may be nil.
  static func bare(_ type: String) -> String {
    if type == "fun()?" { return "fun()" }
    if hasMark(type) { return String(type.dropLast()) }
    let rest = choices(type).filter { $0 != "nil" }
    return rest.count < choices(type).count ? rest.joined(separator: "|") : type
  }

  private static func hasMark(_ type: String) -> Bool {
    guard type.hasSuffix("?"), !type.hasPrefix("fun(") else { return false }
    // Of several it belongs to the last.
    return choices(type).count == 1
  }

  /// The parts of a union, outside of brackets; a function's result goes to the end.
  static func choices(_ type: String) -> [String] {
    var parts: [String] = []
    var part = ""
    var depth = 0
    for character in type {
      switch character {
      case "(", "{", "<", "[": depth += 1
      case ")", "}", ">", "]": depth -= 1
      case "|" where depth == 0 && !part.hasPrefix("fun("):
        parts.append(part)
        part = ""
        continue
      default: break
      }
      part.append(character)
    }
    return part.isEmpty ? parts : parts + [part]
  }

  /// A parameter's name, unless it is a word of the language.
  static func safe(_ name: String) -> String {
    ["end", "function", "repeat", "until", "nil", "local", "for", "in"].contains(name)
      ? name + "_" : name
  }
}
