/// Converts the types in the API description to LuaCATS types.
struct AnnotationTypes {
  private let description: APIDescription

  init(_ description: APIDescription) { self.description = description }

  /// Returns the text of a type, with the module's name put before each name of the API's own
  /// types.
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

  /// Returns a LuaCATS function type such as `fun(path: string): lull.Resource`. For a method of
  /// `owner`, `self` comes before the parameters.
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

  /// Returns whether a field of this type may be nil. A question mark at the end of a function type
  /// belongs to the function's result type, so it does not count.
  static func isOptional(_ type: String) -> Bool {
    type == "any" || type == "fun()?" || hasMark(type) || choices(type).contains("nil")
  }

  /// Returns the type without the `?` or `nil` that allows nil.
  static func bare(_ type: String) -> String {
    if type == "fun()?" { return "fun()" }
    if hasMark(type) { return String(type.dropLast()) }
    let rest = choices(type).filter { $0 != "nil" }
    return rest.count < choices(type).count ? rest.joined(separator: "|") : type
  }

  private static func hasMark(_ type: String) -> Bool {
    guard type.hasSuffix("?"), !type.hasPrefix("fun(") else { return false }
    // In a union, the question mark belongs to the last type.
    return choices(type).count == 1
  }

  /// Returns the types that a union consists of. Bars inside brackets do not separate types. A
  /// function's result type extends to the end of the text.
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

  /// Returns a parameter's name, changed if it is a Lua keyword.
  static func safe(_ name: String) -> String {
    ["end", "function", "repeat", "until", "nil", "local", "for", "in"].contains(name)
      ? name + "_" : name
  }
}
