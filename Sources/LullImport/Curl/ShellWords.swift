/// Splits shell text into commands and words. Supports quotes, escapes, line continuations,
/// comments and here documents (`<<`) as in sh, and `$'…'` of bash. Nothing is run. `$NAME` becomes
/// a placeholder.
struct ShellWords {
  struct Command {
    var words: [String] = []
    /// The text of a here document, which is the command's standard input.
    var input: String?
    /// The redirections of the command. They are not imported, because they concern only the shell.
    var leftOut: [String] = []
    /// Whether the output is piped to another command with `|`.
    var isPiped = false
  }

  private var rest: Substring
  private var commands: [Command] = []
  private var command = Command()
  private var word: String?
  /// The here documents that begin on the next line: their delimiters, whether leading tabs are
  /// removed, and whether variables are left unexpanded.
  private var awaited: [(end: String, isIndented: Bool, isLiteral: Bool)] = []

  static func commands(in text: String) throws(ImportProblem) -> [Command] {
    // Convert Windows line ends.
    var reader = ShellWords(
      rest: Blank.without(text).replacing("\r\n", with: "\n")[...])
    try reader.read()
    return reader.commands
  }

  private init(rest: Substring) { self.rest = rest }

  private mutating func read() throws(ImportProblem) {
    while let character = rest.popFirst() {
      switch character {
      case "'": add(try quoted())
      case "\"": add(try doublyQuoted())
      case "\\":
        guard let next = rest.popFirst() else { break }
        if next != "\n" { add(String(next)) }
      case "$": add(try expansion(isQuoted: false))
      case "`": throw ShellWords.runs
      case " ", "\t": endWord()
      case "\n": try endLine()
      case "#" where word == nil: rest = rest.drop { $0 != "\n" }
      case ";", "(", ")": endCommand()
      case "&":
        if rest.first == ">" {
          try redirect("&")
        } else {
          endCommand()
        }
      case "|":
        command.isPiped = true
        endCommand()
      case "<" where rest.hasPrefix("<<"):
        rest = rest.dropFirst(2).drop { $0 == " " }
        command.input = try nextWord() + "\n"
      case "<" where rest.hasPrefix("<"): try awaitText()
      case "<", ">": try redirect(String(character))
      default: add(String(character))
      }
    }
    guard awaited.isEmpty else {
      throw ImportProblem("the text after '<<\(awaited[0].end)' does not end")
    }
    endCommand()
  }

  private static let runs = ImportProblem(
    "$(…) and `…` are not run: write the output of the command instead")

  private mutating func add(_ text: String) { word = (word ?? "") + text }

  private mutating func endWord() {
    if let word { command.words.append(word) }
    word = nil
  }

  private mutating func endCommand() {
    endWord()
    if !command.words.isEmpty { commands.append(command) }
    command = Command()
  }

  private mutating func endLine() throws(ImportProblem) {
    endWord()
    for (end, isIndented, isLiteral) in awaited {
      var text = ""
      var isComplete = false
      while !rest.isEmpty, !isComplete {
        var line = rest.prefix { $0 != "\n" }
        rest = rest[line.endIndex...].dropFirst()
        if isIndented { line = line.drop { $0 == "\t" } }
        if line == end {
          isComplete = true
        } else {
          text += line + "\n"
        }
      }
      guard isComplete else { throw ImportProblem("the text after '<<\(end)' does not end") }
      command.input = isLiteral ? text : try ShellWords.expanded(text)
    }
    awaited = []
    endCommand()
  }

  /// Expands the variables in a here document.
  private static func expanded(_ text: String) throws(ImportProblem) -> String {
    // In a here document, a quote is literal, so escape it for the parser of quoted text.
    var reader = ShellWords(rest: text.replacing("\"", with: "\\\"")[...] + "\"")
    return try reader.doublyQuoted()
  }

  private mutating func awaitText() throws(ImportProblem) {
    rest = rest.dropFirst()
    let isIndented = rest.first == "-"
    if isIndented { rest = rest.dropFirst() }
    rest = rest.drop { $0 == " " }
    let isLiteral = rest.first.map { "'\"\\".contains($0) } ?? false
    awaited.append((try nextWord(), isIndented, isLiteral))
  }

  /// Skips a redirection such as `> file` or `2>&1`, which is not part of the curl command.
  private mutating func redirect(_ start: String) throws(ImportProblem) {
    var shown = start
    if let number = word, number.allSatisfy(\.isNumber) {
      shown = number + shown
      word = nil
    }
    endWord()
    while let next = rest.first, ">&<".contains(next) {
      shown.append(next)
      rest = rest.dropFirst()
    }
    rest = rest.drop { $0 == " " }
    command.leftOut.append("\(shown)\(Blank.shown(try nextWord()))")
  }

  /// Parses the next word.
  private mutating func nextWord() throws(ImportProblem) -> String {
    let outer = word
    word = nil
    defer { word = outer }
    while let character = rest.first, !" \t\n;&|<>()".contains(character) {
      rest = rest.dropFirst()
      switch character {
      case "'": add(try quoted())
      case "\"": add(try doublyQuoted())
      case "\\": add(String(rest.popFirst() ?? "\\"))
      case "$": add(try expansion(isQuoted: false))
      case "`": throw ShellWords.runs
      default: add(String(character))
      }
    }
    return word ?? ""
  }

  private mutating func quoted() throws(ImportProblem) -> String {
    guard let end = rest.firstIndex(of: "'") else { throw ShellWords.open("'") }
    defer { rest = rest[rest.index(after: end)...] }
    return String(rest[..<end])
  }

  private static func open(_ quote: String) -> ImportProblem {
    ImportProblem(
      "the quote \(quote) is not closed: was the whole command copied, and put in quotes? "
        + "(lull import curl - reads it from standard input)")
  }

  private mutating func doublyQuoted() throws(ImportProblem) -> String {
    var text = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return text
      case "\\":
        guard let next = rest.popFirst() else { throw ShellWords.open("\"") }
        if "$`\"\\".contains(next) {
          text.append(next)
        } else if next != "\n" {
          text += "\\\(next)"
        }
      case "$": text += try expansion(isQuoted: true)
      case "`": throw ShellWords.runs
      default: text.append(character)
      }
    }
    throw ShellWords.open("\"")
  }

  /// Parses the part of an expansion that follows a `$`.
  private mutating func expansion(isQuoted: Bool) throws(ImportProblem) -> String {
    guard let next = rest.first else { return "$" }
    if next == "'", !isQuoted {
      rest = rest.dropFirst()
      return try escaped()
    }
    if next == "\"", !isQuoted { return "" }
    if next == "(" { throw ShellWords.runs }
    var name = ""
    if next == "{" {
      guard let end = rest.firstIndex(of: "}") else { throw ImportProblem("'${' does not end") }
      name = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
      guard ShellWords.isName(name) else {
        throw ImportProblem("'${\(name)}' is not just a variable name: write its value instead")
      }
    } else {
      name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
      if let first = name.first, first.isNumber { name = String(first) }
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty else { return "$" }
      guard ShellWords.isName(name) else {
        throw ImportProblem("'$\(name)' is an argument of a script: write its value instead")
      }
    }
    return Blank.text(name)
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.first, !first.isNumber else { return false }
    return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  /// Parses a text in `$'…'` of bash.
  private mutating func escaped() throws(ImportProblem) -> String {
    var bytes: [UInt8] = []
    while let character = rest.popFirst() {
      if character == "'" {
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw ImportProblem(
            "a text in $'…' has bytes that are not UTF-8: send them from a file")
        }
        return Blank.without(text)
      }
      guard character == "\\" else {
        bytes += Array(String(character).utf8)
        continue
      }
      guard let kind = rest.popFirst() else { break }
      switch kind {
      case "n": bytes.append(10)
      case "t": bytes.append(9)
      case "r": bytes.append(13)
      case "a": bytes.append(7)
      case "b": bytes.append(8)
      case "f": bytes.append(12)
      case "v": bytes.append(11)
      case "e", "E": bytes.append(27)
      case "x":
        bytes += digits(2, radix: 16).map { [UInt8(truncatingIfNeeded: $0)] } ?? Array("\\x".utf8)
      case "u": bytes += scalar(4) ?? Array("\\u".utf8)
      case "U": bytes += scalar(8) ?? Array("\\U".utf8)
      case "0"..."7":
        rest = rest.base[rest.base.index(before: rest.startIndex)..<rest.endIndex]
        bytes.append(UInt8(truncatingIfNeeded: digits(3, radix: 8) ?? 0))
      case "\\", "'", "\"", "?": bytes += Array(String(kind).utf8)
      default: bytes += Array("\\\(kind)".utf8)
      }
    }
    throw ShellWords.open("$'")
  }

  private mutating func digits(_ most: Int, radix: Int) -> UInt32? {
    let digits = rest.prefix(most).prefix {
      $0.isASCII && $0.hexDigitValue.map { $0 < radix } ?? false
    }
    guard !digits.isEmpty else { return nil }
    rest = rest[digits.endIndex...]
    return UInt32(digits, radix: radix)
  }

  private mutating func scalar(_ most: Int) -> [UInt8]? {
    guard var code = digits(most, radix: 16) else { return nil }
    // Browsers write a character beyond the basic plane as a surrogate pair.
    if (0xD800..<0xDC00).contains(code), rest.hasPrefix("\\u") {
      let start = rest
      rest = rest.dropFirst(2)
      if let low = digits(4, radix: 16), (0xDC00..<0xE000).contains(low) {
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      } else {
        rest = start
      }
    }
    return Array(String(Unicode.Scalar(code).map(Character.init) ?? "\u{FFFD}").utf8)
  }
}
