import LullCore

/// Texts that curl escapes itself.
extension CurlCommand {
  /// As `--data-urlencode` has it; what is to be read is a blank.
  static func encoded(_ value: String) -> (text: String, isFile: Bool) {
    guard let mark = value.firstIndex(of: "=") ?? value.firstIndex(of: "@") else {
      return (escaped(value), false)
    }
    let name = value[..<mark]
    let content = value[value.index(after: mark)...]
    let isFile = value[mark] == "@"
    let text = isFile ? Blank.text(name.isEmpty ? "content" : name) : escaped(content)
    return (name.isEmpty ? text : "\(name)=\(text)", isFile)
  }

  static func escaped(_ text: some StringProtocol) -> String {
    guard Blank.isIn(text) else { return PercentText.escaped(text) }
    // Blanks are no part of it.
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: Blank.open),
      let end = rest[start...].firstIndex(of: Blank.close)
    {
      result += PercentText.escaped(rest[..<start]) + rest[start...end]
      rest = rest[rest.index(after: end)...]
    }
    return result + PercentText.escaped(rest)
  }
}
