/// A manual page (man) in the format roff. It is built from an `ArgumentSpec` or from text.
package struct ManualPage {
  private var lines: [String]

  /// Creates a page with its heading.
  ///
  /// - Parameters:
  ///   - name: The name of the page, such as `lull-get`.
  ///   - summary: The phrase that `apropos` shows.
  package init(name: String, summary: String, version: String) {
    lines = [
      ".TH \"\(name.uppercased())\" 1 \"\" \"Lull \(version)\" \"Lull\"", ".SH NAME",
      "\(ManualPage.escaped(name)) \\- \(ManualPage.escaped(summary))",
    ]
  }

  package var text: String { lines.joined(separator: "\n") + "\n" }

  package mutating func section(_ title: String) { lines.append(".SH \(title.uppercased())") }

  /// Adds the complete help of a command.
  package mutating func add(_ spec: ArgumentSpec) {
    section("Synopsis")
    lines.append(".B \(ManualPage.escaped(ArgumentHelp.usage(of: spec)))")
    if let description = spec.description {
      section("Description")
      prose(description)
    }
    if !spec.positionals.isEmpty {
      section("Arguments")
      for argument in spec.positionals { item(argument) }
    }
    section("Options")
    for option in spec.options { item(option) }
    if !spec.has("--help") { item("\\-h, \\-\\-help", "Show the help.") }
    if !spec.examples.isEmpty {
      section("Examples")
      verbatim(spec.examples.joined(separator: "\n"))
    }
    if let codes = ArgumentHelp.exitCodes(of: spec) {
      section("Exit status")
      prose(codes)
    }
    if let notes = spec.notes {
      section("Notes")
      prose(notes)
    }
  }

  /// Adds paragraphs. Line breaks are kept only in indented paragraphs.
  package mutating func prose(_ text: String) {
    for (index, paragraph) in text.paragraphs.enumerated() {
      if paragraph.contains(where: { $0.hasPrefix("  ") }) {
        verbatim(paragraph.joined(separator: "\n"))
      } else {
        if index > 0 { lines.append(".PP") }
        lines += paragraph.map(ManualPage.escaped)
      }
    }
  }

  package mutating func verbatim(_ text: String) {
    lines.append(".PP\n.nf\n.RS 2")
    lines += text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { ManualPage.escaped(String($0)) }
    lines.append(".RE\n.fi")
  }

  private mutating func item(_ argument: Argument) {
    let text = [ArgumentHelp.explanation(of: argument), argument.details ?? ""]
      .filter { !$0.isEmpty }.joined(separator: " ")
    let names = ArgumentHelp.column(of: argument).drop { $0 == " " }
    item(ManualPage.escaped(String(names)), ManualPage.escaped(text))
  }

  private mutating func item(_ name: String, _ text: String) {
    lines.append(".TP\n.B \(name)\n\(text)")
  }

  /// Escapes characters that have a meaning in roff.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      default: escaped.append(character)
      }
    }
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }
}

extension String {
  /// The paragraphs of the text, each as a list of its lines.
  fileprivate var paragraphs: [[String]] {
    split(separator: "\n", omittingEmptySubsequences: false)
      .split(whereSeparator: \.isEmpty).map { $0.map(String.init) }
  }
}
