/// Formats the help of an `ArgumentSpec`.
package enum ArgumentHelp {
  /// The maximum width of a line. Every terminal is at least this wide.
  private static let lineWidth = 80

  /// Returns the output of `--help`. For a command with many options, it lists only the common
  /// options, and says how to see the others. Otherwise it lists all options.
  package static func page(of spec: ArgumentSpec) -> String {
    guard let manual = spec.manual else { return text(of: spec) }
    var short = spec
    short.arguments = spec.arguments.filter { $0.isPositional || $0.isCommon }
    for index in short.arguments.indices where short.arguments[index].category != parameters {
      short.arguments[index].category = "Options"
    }
    if spec.description?.split(separator: "\n").count ?? 0 > 2 { short.description = spec.summary }
    let others = spec.arguments.count - short.arguments.count
    short.exitCodes = []
    short.notes = "\(others) more options: \(manual)"
    return text(of: short, showsHelp: false)
  }

  /// The heading for the parameters of a call.
  package static let parameters = "Parameters"

  private static func block(_ title: String, _ lines: [String]) -> String {
    ([title] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  /// Returns the help with all options.
  ///
  /// - Parameters:
  ///   - hasDetails: Whether the paragraph of each option follows it.
  ///   - showsHelp: Whether `--help` and `--version` are listed.
  package static func text(
    of spec: ArgumentSpec, hasDetails: Bool = false, showsHelp: Bool = true
  ) -> String {
    var blocks = ["Usage: \(usage(of: spec))"]
    if let description = spec.description { blocks.append(description) }
    let positionals = spec.positionals.filter { !explanation(of: $0).isEmpty }
    let names =
      positionals.map { column(of: $0) } + spec.options.map { column(of: $0) } + ["-h, --help"]
    let width = min(names.map(\.count).max() ?? 0, 28)
    if !positionals.isEmpty {
      blocks.append(
        block("Arguments:", positionals.map { (column(of: $0), explanation(of: $0)) }, width))
    }
    let row = { (option: Argument) -> (String, String) in
      var text = explanation(of: option)
      if hasDetails, let details = option.details { text += "\n" + details }
      return (column(of: option), text)
    }
    var rows = spec.options.filter { $0.category == nil }.map(row)
    let groups = grouped(spec.options).map { heading, options in
      block("\(heading):", options.map(row), width)
    }
    let hasOwn = !rows.isEmpty
    if showsHelp, !spec.has("--help") {
      rows.append((spec.has("-h") ? "    --help" : "-h, --help", "Show this help."))
    }
    if showsHelp, spec.version != nil, !spec.has("--version") {
      rows.append(("    --version", "Show the version."))
    }
    let general = rows.isEmpty ? [] : [block("Options:", rows, width)]
    blocks += hasOwn ? general + groups : groups + general
    if !spec.examples.isEmpty { blocks.append(block("Examples:", spec.examples)) }
    if let codes = exitCodes(of: spec) {
      blocks.append(wrapped(codes, to: lineWidth).joined(separator: "\n"))
    }
    if let notes = spec.notes { blocks.append(notes) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// Groups options by heading, in the order in which the headings first occur.
  private static func grouped(_ options: [Argument]) -> [(heading: String, options: [Argument])] {
    var groups: [(heading: String, options: [Argument])] = []
    for option in options {
      guard let heading = option.category else { continue }
      if let place = groups.firstIndex(where: { $0.heading == heading }) {
        groups[place].options.append(option)
      } else {
        groups.append((heading, [option]))
      }
    }
    return groups
  }

  /// Returns the paragraph about exit codes. nil if the command declares none.
  static func exitCodes(of spec: ArgumentSpec) -> String? {
    guard !spec.exitCodes.isEmpty else { return nil }
    let codes = spec.exitCodes.map { "\($0.code) \($0.meaning)" }
    return "Exit codes: \(codes.joined(separator: "; "))."
  }

  package static func usage(of spec: ArgumentSpec) -> String {
    var words = [spec.name]
    for option in spec.options where option.isRequired {
      words.append(
        option.kind == .boolean
          ? "--[no-]" + option.shown.dropFirst(2) : "\(option.shown) \(option.shownPlaceholder)")
    }
    if !spec.options.allSatisfy(\.isRequired) || !spec.has("--help") { words.append("[OPTIONS]") }
    for argument in spec.positionals {
      let name = argument.isRepeated ? "\(argument.shown)..." : argument.shown
      words.append(argument.isRequired ? name : "[\(name)]")
    }
    return words.joined(separator: " ")
  }

  /// Returns the left column for an option, such as `-n, --limit N`. Long names are aligned even if
  /// there is no short name.
  package static func column(of argument: Argument) -> String {
    if argument.isPositional { return argument.shown }
    let short = argument.names.filter { !$0.hasPrefix("--") }
    var long = argument.names.filter { $0.hasPrefix("--") }
    if canBeTakenBack(argument) { long = long.map { "--[no-]" + $0.dropFirst(2) } }
    var text = (short + long).joined(separator: ", ")
    if short.isEmpty { text = "    " + text }
    return argument.kind.takesValue ? "\(text) \(argument.shownPlaceholder)" : text
  }

  private static func canBeTakenBack(_ argument: Argument) -> Bool {
    argument.kind == .boolean || argument.kind == .flag && argument.isOn
  }

  package static func explanation(of argument: Argument) -> String {
    var details: [String] = []
    if !argument.choices.isEmpty { details.append(WordList.text(argument.choices)) }
    if argument.isRepeated, !argument.isPositional { details.append("may be repeated") }
    if argument.isRequired, !argument.isPositional { details.append("required") }
    if let standard = argument.standardText, !standard.isEmpty {
      details.append("default \(standard)")
    }
    var text = argument.help ?? ""
    guard !details.isEmpty else { return text }
    let isSentence = text.hasSuffix(".")
    if isSentence { text.removeLast() }
    return text + (text.isEmpty ? "" : " ") + "(\(details.joined(separator: "; ")))"
      + (isSentence ? "." : "")
  }

  private static func block(_ title: String, _ rows: [(String, String)], _ width: Int) -> String {
    var lines = [title]
    for (name, text) in rows {
      let texts = wrapped(text, to: max(lineWidth - width - 4, 30))
      let indent = String(repeating: " ", count: width + 4)
      if name.count <= width, let first = texts.first {
        let padding = String(repeating: " ", count: width - name.count)
        lines.append("  \(name)\(padding)  \(first)")
        lines += texts.dropFirst().map { indent + $0 }
      } else {
        lines.append("  " + name)
        lines += texts.map { indent + $0 }
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Breaks a text into lines of a maximum width. Its own line breaks are kept.
  private static func wrapped(_ text: String, to width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
      guard line.count > width else { return line.isEmpty && text.isEmpty ? [] : [String(line)] }
      var lines = [""]
      for word in line.split(separator: " ") {
        let last = lines[lines.count - 1]
        if last.isEmpty {
          lines[lines.count - 1] = String(word)
        } else if last.count + 1 + word.count <= width {
          lines[lines.count - 1] += " " + word
        } else {
          lines.append(String(word))
        }
      }
      return lines
    }
  }
}
