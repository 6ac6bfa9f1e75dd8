/// Converts ECMA-262 patterns to the syntax of PCRE2, which differs for Unicode white space and for
/// Unicode properties with long names.
enum PatternSpelling {
  static func translated(_ pattern: String) -> String {
    guard pattern.utf8.contains(UInt8(ascii: "\\")) else { return pattern }
    var result = ""
    var rest = pattern[...]
    var isInClass = false
    while let character = rest.first {
      rest = rest.dropFirst()
      guard character == "\\", let escaped = rest.first else {
        if character == "[" { isInClass = true }
        if character == "]" { isInClass = false }
        result.append(character)
        continue
      }
      rest = rest.dropFirst()
      switch escaped {
      case "s": result += isInClass ? blanks : "[\(blanks)]"
      case "S" where !isInClass: result += "[^\(blanks)]"
      case "p", "P":
        guard rest.first == "{", let end = rest.firstIndex(of: "}") else {
          result += "\\\(escaped)"
          continue
        }
        let name = property(rest[rest.index(after: rest.startIndex)..<end])
        result += "\\\(escaped){\(name)}"
        rest = rest[rest.index(after: end)...]
      default: result += "\\\(escaped)"
      }
    }
    return result
  }

  private static let blanks = "\\t\\n\\x0B\\f\\r\\uFEFF\\p{Z}"

  private static func property(_ name: Substring) -> String {
    let equals = name.firstIndex(of: "=")
    let value = String(equals.map { name[name.index(after: $0)...] } ?? name)
    return categories[value] ?? value
  }

  private static let categories: [String: String] = [
    "Letter": "L", "Cased_Letter": "L&", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M",
    "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N",
    "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
    "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd",
    "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm",
    "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z",
    "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp", "Other": "C",
    "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs", "Private_Use": "Co",
    "Unassigned": "Cn",
  ]
}
