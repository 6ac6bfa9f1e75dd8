import LullCore

/// Shell variables in a command line. While the command line is built, each variable is represented
/// by a unique mark.
///
/// A mark consists of letters and digits, which no encoding changes: in a path, a query, JSON or a
/// form.
struct ShellVariables {
  private struct Variable {
    /// The parameter or credential that the variable belongs to. Each parameter or credential has
    /// one variable.
    let owner: String
    /// The preferred name. If another variable already has this name, the variable gets a different
    /// one.
    let name: String
    let mark: String
    let isCredential: Bool
    /// Whether the variable holds a file name. The content of that file is then sent.
    let isFile: Bool
  }

  private var variables: [Variable] = []
  /// The prefix of marks. It is random, so that no text can contain it.
  private static let start =
    "zqLull" + String((0..<16).map { _ in "abcdefghijklmnop".randomElement() ?? "a" })

  /// Names with a meaning to shells, or to the programs they start.
  private static let taken: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "PWD", "OLDPWD", "IFS", "SHELL", "LANG", "TERM", "HOST",
    "HOSTNAME", "UID", "EUID", "GID", "PPID", "RANDOM", "SECONDS", "LINENO", "PS1", "PS2", "PS4",
    "ENV", "CDPATH", "TMPDIR", "EDITOR", "path", "cdpath", "fpath", "manpath", "mailpath", "status",
    "argv", "prompt", "pipestatus", "match", "options", "commands", "functions", "aliases", "words",
    "history", "parameters", "signals", "userdirs", "_",
  ]

  /// The names of the variables in the order of creation, without duplicates. Credentials keep
  /// their names. If a parameter has the same name, the parameter's variable is renamed.
  var names: [String] {
    var names = variables.map(\.name)
    var seen: Set<String> = []
    for isCredential in [true, false] {
      for place in variables.indices where variables[place].isCredential == isCredential {
        while !seen.insert(names[place]).inserted { names[place] += "_" }
      }
    }
    return names
  }

  /// The mark of a variable that is named like a parameter.
  mutating func mark(for parameter: String, isFile: Bool = false) -> String {
    add("parameter " + parameter, ShellVariables.variable(for: parameter), isFile: isFile)
  }

  /// The mark for a field name of an object parameter.
  mutating func mark(forFieldOf parameter: String) -> String {
    add("field of " + parameter, ShellVariables.variable(for: parameter + "_name"))
  }

  /// The preferred variable name for a parameter: its own name, or another one if that name has a
  /// meaning to the shell.
  private static func variable(for parameter: String) -> String {
    let name = name(for: parameter)
    return taken.contains(name) ? name + "_" : name
  }

  /// The mark of an environment variable. If `name` is already the mark of a parameter, returns
  /// `name` unchanged.
  mutating func mark(forCredential name: String) -> String {
    isMark(name)
      ? name
      : add("credential " + name, ShellVariables.name(for: name), isCredential: true)
  }

  func isMark(_ text: String) -> Bool { variables.contains { $0.mark == text } }

  private mutating func add(
    _ owner: String, _ name: String, isFile: Bool = false, isCredential: Bool = false
  ) -> String {
    if let known = variables.first(where: { $0.owner == owner }) { return known.mark }
    let mark = ShellVariables.start + "\(variables.count)End"
    variables.append(
      Variable(owner: owner, name: name, mark: mark, isCredential: isCredential, isFile: isFile))
    return mark
  }

  /// Converts a text to letters, digits and `_`.
  private static func name(for text: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars {
      let isFine =
        scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      if isFine {
        name.unicodeScalars.append(scalar)
      } else if !name.hasSuffix("_") {
        name += "_"
      }
    }
    if name.isEmpty || name == "_" { name = "value" }
    return name.first?.isNumber == true ? "_" + name : name
  }

  // MARK: Command lines

  /// Replaces the marks in a command line from `CurlText` with variables.
  func written(_ line: String) -> String {
    var result = ""
    var word = ""
    var before = ""
    var isQuoted = false
    var isEscaped = false
    func end() {
      guard !word.isEmpty else { return }
      result += self.word(word, behind: before)
      before = word
      word = ""
    }
    for character in line {
      if isEscaped {
        isEscaped = false
        word.append(character)
      } else if isQuoted {
        if character == "'" { isQuoted = false }
        word.append(character)
      } else if character == "'" {
        isQuoted = true
        word.append(character)
      } else if character == "\\" {
        isEscaped = true
        word.append(character)
      } else if character == " " || character == "\n" {
        end()
        result.append(character)
      } else {
        word.append(character)
      }
    }
    end()
    return result.replacing("--data-raw \"@$", with: "--data-binary \"@$")
  }

  /// Quotes a word of the command line and inserts its variables.
  private func word(_ word: String, behind before: String) -> String {
    guard word.contains(ShellVariables.start) else { return word }
    var text = ShellVariables.unquoted(word)
    for variable in variables where variable.isFile {
      if before == "--form" {
        text = text.replacing("\"\(variable.mark)\"", with: "@\"\(variable.mark)\"")
      } else if text == variable.mark {
        text = "@" + text
      }
    }
    return quoted(parts(of: text))
  }

  private enum Part {
    case text(String)
    case variable(String)
  }

  private func parts(of text: String) -> [Part] {
    let names = names
    var parts: [Part] = []
    var rest = text[...]
    while let start = rest.firstRange(of: ShellVariables.start) {
      let number = rest[start.upperBound...].prefix { $0.isNumber }
      guard let place = Int(number), place < variables.count,
        rest[number.endIndex...].hasPrefix("End")
      else { break }
      if start.lowerBound > rest.startIndex {
        parts.append(.text(String(rest[..<start.lowerBound])))
      }
      parts.append(.variable(names[place]))
      rest = rest[number.endIndex...].dropFirst(3)
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    return parts
  }

  /// Quotes a word as a whole in double quotes if no character needs escaping in them. Otherwise
  /// quotes each part separately.
  private func quoted(_ parts: [Part]) -> String {
    let isPlain = parts.allSatisfy { part in
      if case .text(let text) = part { !text.contains { "\"\\$`!".contains($0) } } else { true }
    }
    var result = ""
    for (place, part) in parts.enumerated() {
      switch part {
      case .text(let text): result += isPlain ? text : CurlText.quoted(text)
      case .variable(let name):
        var goesOn = false
        if isPlain, place + 1 < parts.count, case .text(let next) = parts[place + 1],
          let first = next.first
        {
          goesOn = first.isLetter || first.isNumber || "_[".contains(first)
        }
        let shown = goesOn ? "${\(name)}" : "$\(name)"
        result += isPlain ? shown : "\"\(shown)\""
      }
    }
    return isPlain ? "\"\(result)\"" : result
  }

  /// Removes the quoting of a word. The word has only single quotes, and has backslashes only
  /// before single quotes.
  private static func unquoted(_ word: String) -> String {
    var text = ""
    var isQuoted = false
    var isEscaped = false
    for character in word {
      if isEscaped {
        isEscaped = false
        text.append(character)
      } else if character == "'" {
        isQuoted.toggle()
      } else if character == "\\", !isQuoted {
        isEscaped = true
      } else {
        text.append(character)
      }
    }
    return text
  }
}
