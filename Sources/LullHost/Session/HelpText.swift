/// The texts that `help` prints, made from the description of the API.
package struct HelpText {
  private let description: APIDescription

  init(_ description: APIDescription) { self.description = description }

  /// The list of all help topics.
  var overview: String {
    var text = """
      help(x) explains a function or an object of Lull: help(lull.sleep), help(api), help("load").


      """
    for owner in description.owners {
      switch owner.kind {
      case .module, .object: text += "\(owner.name): \(owner.summary)\n" + HelpText.names(of: owner)
      case .table, .words, .alias: break
      }
    }
    let tables = description.owners.filter {
      switch $0.kind {
      case .module, .object: false
      case .table, .words, .alias: true
      }
    }
    return text + "Tables and words:\n"
      + HelpText.wrapped(tables.map(\.name).joined(separator: " "), indent: 2)
  }

  /// Returns the help for one owner: its summary and its members.
  package static func text(for owner: APIOwner) -> String {
    var text = owner.name + "\n" + wrapped(owner.summary, indent: 2)
    if case .alias(let type) = owner.kind { text += "  \(type)\n" }
    if !owner.text.isEmpty { text += wrapped(owner.text, indent: 2) }
    if !owner.entries.isEmpty { text += "\n" }
    for entry in owner.entries {
      let type = entry.type.isEmpty ? "" : ": " + entry.type
      text += "  \(owner.spelling(of: entry))\(type)\n" + wrapped(entry.summary, indent: 6)
    }
    return text
  }

  /// Returns the help for one member: its spelling in Lua code, its parameters and results, its
  /// description, and an example.
  package static func text(for entry: APIEntry, of owner: APIOwner) -> String {
    var text = owner.spelling(of: entry)
    if !entry.type.isEmpty { text += ": " + entry.type }
    text += "\n"
    for signature in entry.signature.split(separator: "\n") { text += "  \(signature)\n" }
    text += wrapped(entry.summary, indent: 2)
    if !entry.text.isEmpty { text += wrapped(entry.text, indent: 2) }
    if !entry.example.isEmpty {
      text += "\n"
      for line in entry.example.split(separator: "\n", omittingEmptySubsequences: false) {
        text += line.isEmpty ? "\n" : "    \(line)\n"
      }
    }
    return text
  }

  /// Returns the help for all owners and members with that name, or nil if there are none.
  func text(named name: String) -> String? {
    if let owner = description.owner(name) { return HelpText.text(for: owner) }
    // For example, `lull.json.encode` is the entry `encode` of `lull.json`, and `resource.load` is
    // the entry `load` of `Resource`.
    let found = description.owners.flatMap { owner in
      owner.entries.filter { entry in
        [
          entry.name, "\(owner.name).\(entry.name)", "\(owner.receiver).\(entry.name)",
          "\(owner.receiver):\(entry.name)", "\(owner.name):\(entry.name)",
        ].contains(name)
      }.map { (owner, $0) }
    }
    guard !found.isEmpty else { return nil }
    return found.map { HelpText.text(for: $0.1, of: $0.0) }.joined(separator: "\n")
  }

  private static func names(of owner: APIOwner) -> String {
    wrapped(
      owner.entries.map(\.name).filter { !$0.hasPrefix("__") }.joined(separator: " "), indent: 2)
  }

  /// Returns a text wrapped at 80 columns. Backticks that mark code are kept.
  private static func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var current = ""
      for word in paragraph.split(separator: " ") {
        if !current.isEmpty, current.count + word.count + 1 + indent > 80 {
          lines.append(current)
          current = ""
        }
        current += current.isEmpty ? String(word) : " " + word
      }
      lines.append(current)
    }
    return lines.map { $0.isEmpty ? "\n" : margin + $0 + "\n" }.joined()
  }
}
