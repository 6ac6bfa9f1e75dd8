/// The parameters and results of a function, parsed from LuaCATS text such as `(path: string,
/// method?: string): Resource`.
///
/// Parsed on demand, never at startup. A function may have several signatures.
package struct APISignature: Sendable, Equatable {
  package struct Parameter: Sendable, Equatable {
    package let name: String
    package let type: String
    package let isOptional: Bool

    /// Whether the parameter accepts any number of further arguments.
    package var isVariadic: Bool { name == "..." }
  }

  package let parameters: [Parameter]
  /// The LuaCATS types of the results. The last type may end with `...`, which means any number of
  /// results.
  package let returns: [String]

  /// Parses a signature such as `(path: string): Resource`. Returns nil if the text is not a
  /// signature.
  package init?(_ text: String) {
    guard text.hasPrefix("("), let close = APISignature.closingParenthesis(of: text) else {
      return nil
    }
    var parameters: [Parameter] = []
    let inside = text[text.index(after: text.startIndex)..<close]
    for part in APISignature.split(inside) {
      if part == "..." {
        parameters.append(Parameter(name: "...", type: "any", isOptional: true))
        continue
      }
      guard let colon = part.firstIndex(of: ":") else { return nil }
      let name = part[..<colon]
      let type = APISignature.trimmed(part[part.index(after: colon)...])
      let isOptional = name.hasSuffix("?") || name == "..."
      let bare = name.hasSuffix("?") ? name.dropLast() : name
      guard !bare.isEmpty, !type.isEmpty else { return nil }
      parameters.append(
        Parameter(name: String(bare), type: String(type), isOptional: isOptional))
    }
    self.parameters = parameters

    let rest = APISignature.trimmed(text[text.index(after: close)...])
    if rest.isEmpty {
      returns = []
    } else {
      guard rest.hasPrefix(":") else { return nil }
      returns = APISignature.split(rest.dropFirst()).map(String.init)
      guard !returns.isEmpty else { return nil }
    }
  }

  private static func closingParenthesis(of text: String) -> String.Index? {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "(", "{", "<": depth += 1
      case ")", "}", ">":
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
    }
    return nil
  }

  /// Returns the parts between commas. Commas inside brackets do not separate parts.
  private static func split(_ text: Substring) -> [Substring] {
    var parts: [Substring] = []
    var depth = 0
    var start = text.startIndex
    for index in text.indices {
      switch text[index] {
      case "(", "{", "<": depth += 1
      case ")", "}", ">": depth -= 1
      case "," where depth == 0:
        parts.append(trimmed(text[start..<index]))
        start = text.index(after: index)
      default: break
      }
    }
    let last = trimmed(text[start...])
    if !last.isEmpty { parts.append(last) }
    return parts
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " }
    while text.last == " " { text = text.dropLast() }
    return text
  }
}
