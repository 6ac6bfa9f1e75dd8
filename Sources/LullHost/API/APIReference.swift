/// The reference page, as DocC Markdown.
package struct APIReference {
  private let description: APIDescription

  package init(_ description: APIDescription) { self.description = description }

  package var markdown: String {
    var page = Page()
    page.add(
      """
      # Lua reference

      Every name of `require "lull"`, what it does, and what it is called in Swift.

      ## How to read it

      Properties are fields (`resource.is_loading`), actions are methods (`resource:load()`). \
      Types are written as LuaCATS does: `string?` may be nil or absent, `fun(url: string): \
      boolean` is a function. An argument with `?` may be left out. Where the Swift column is \
      empty, Swift has other means, such as `async` functions and closures. IDs such as LOAD-16 \
      refer to the rules in [Behaviours](../../LullCore/LullCore.docc/Behaviours.md).

      The examples share this beginning; `-->` shows the output of a line.
      """)
    page.add(code: APIDescription.prelude, language: "lua")
    for owner in description.owners { APIReference.add(owner, to: &page) }
    page.add(
      """
      <!-- Generated from Sources/*/API by Scripts/support/generate-reference: edit there. -->
      """)
    return page.text
  }

  private static func add(_ owner: APIOwner, to page: inout Page) {
    page.add("## \(owner.name)")
    page.add(owner.summary + (owner.swift.map { " In Swift: `\($0)`." } ?? ""))
    if case .alias(let type) = owner.kind { page.add(code: type, language: "") }
    if !owner.text.isEmpty { page.add(owner.text) }
    if !owner.entries.isEmpty { page.add(table(of: owner)) }
    for entry in owner.entries where isTold(entry) { add(entry, of: owner, to: &page) }
  }

  private static func table(of owner: APIOwner) -> String {
    let hasTypes = owner.entries.contains { !type(of: $0).isEmpty }
    let hasSwift = owner.entries.contains { $0.swift != nil }
    var head = ["Lua"]
    if hasTypes { head.append("Type") }
    if hasSwift { head.append("Swift") }
    head.append("What it is")
    var rows = [row(head), row(head.map { _ in "---" })]
    for entry in owner.entries {
      var cells = [cell(code: owner.spelling(of: entry))]
      if hasTypes { cells.append(cell(code: type(of: entry))) }
      if hasSwift { cells.append(cell(code: entry.swift ?? "")) }
      cells.append(escaped(entry.summary))
      rows.append(row(cells))
    }
    return rows.joined(separator: "\n")
  }

  /// Returns the type of a property or field, or the result types of a function.
  private static func type(of entry: APIEntry) -> String {
    switch entry.kind {
    case .property, .field: entry.type
    case .function, .method, .operation:
      entry.signatures.last.map { $0.returns.joined(separator: ", ") } ?? ""
    case .word: ""
    }
  }

  /// Returns whether an entry has more documentation than fits into a table row.
  private static func isTold(_ entry: APIEntry) -> Bool {
    !entry.text.isEmpty || !entry.example.isEmpty
  }

  private static func add(_ entry: APIEntry, of owner: APIOwner, to page: inout Page) {
    page.add("### \(owner.spelling(of: entry))".replacing("<", with: "\\<"))
    if !entry.signature.isEmpty { page.add(code: entry.signature, language: "") }
    page.add(entry.summary)
    if !entry.text.isEmpty { page.add(entry.text) }
    if !entry.example.isEmpty { page.add(code: entry.example, language: "lua") }
    if !entry.rules.isEmpty {
      page.add("Rules: \(entry.rules.split(separator: " ").joined(separator: ", ")).")
    }
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  private static func cell(code: String) -> String {
    code.isEmpty ? "" : "`\(escaped(code))`"
  }

  /// Escapes each `|`, which would end a table cell even inside code.
  private static func escaped(_ text: String) -> String { text.replacing("|", with: "\\|") }
}

/// A Markdown page, built from blocks that are separated by blank lines.
private struct Page {
  private(set) var text = ""

  mutating func add(_ block: String) {
    if !text.isEmpty { text += "\n" }
    for line in MarkdownText.wrapped(block) { text += line + "\n" }
  }

  mutating func add(code: String, language: String) {
    if !text.isEmpty { text += "\n" }
    text += "```\(language)\n\(code)\n```\n"
  }
}

/// Formatting of Markdown in generated files.
enum MarkdownText {
  /// Returns the lines of a block, wrapped at 100 columns. Lines that must not be broken, such as
  /// table rows, are returned unchanged.
  static func wrapped(_ block: String) -> [String] {
    var lines: [String] = []
    for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let first = line.first, first != "|", first != "#", first != "<" else {
        lines.append(String(line))
        continue
      }
      var current = ""
      for word in line.split(separator: " ") {
        if !current.isEmpty, current.count + word.count >= 100 {
          lines.append(current)
          current = ""
        }
        current += current.isEmpty ? String(word) : " " + word
      }
      lines.append(current)
    }
    return lines
  }
}
