/// The parts of a statement: the names that it declares and uses, and its result. Also writes the
/// statement as part of a script.
package struct StatementParts {
  private struct Declaration {
    /// The tokens from `local` to the last of the names.
    let keyword: Range<Int>
    let attributes: [Range<Int>]
    let end: Int
    let names: [String]
    let isFunction: Bool
    let hasValues: Bool
  }

  private let source: [UInt8]
  private let tokens: [LuaToken]
  /// The names that the statement uses, without the names of fields and methods.
  package let names: Set<String>
  private let declarations: [Declaration]
  /// The index of the `return` outside of blocks. nil if there is none.
  private var result: Int?
  /// Whether a `return` inside a block may end the statement early.
  package private(set) var returnsFromBlock = false
  package private(set) var hasFunction = false

  /// The names of the locals that are declared outside of blocks.
  package var declaredNames: [String] { declarations.flatMap(\.names) }

  package init(_ source: [UInt8]) {
    self.source = source
    let tokens = LuaToken.all(in: source)
    self.tokens = tokens
    var names: Set<String> = []
    var declarations: [Declaration] = []
    // For each open block, whether it is a function.
    var blocks: [Bool] = []
    for (index, token) in tokens.enumerated() {
      if token.kind == .name {
        let before = index > 0 ? tokens[index - 1] : nil
        let isField = before?.isSymbol(".") ?? false || before?.isSymbol(":") ?? false
        if !isField { names.insert(token.text) }
      }
      guard token.kind == .keyword else { continue }
      switch token.text {
      case "function":
        hasFunction = true
        blocks.append(true)
      case "if", "do", "repeat": blocks.append(false)
      case "end", "until": _ = blocks.popLast()
      case "return" where blocks.isEmpty: result = index
      case "return" where !blocks.contains(true): returnsFromBlock = true
      case "local" where blocks.isEmpty:
        declarations.append(StatementParts.declaration(tokens, at: index))
      default: break
      }
    }
    self.names = names
    self.declarations = declarations
  }

  private static func declaration(_ tokens: [LuaToken], at index: Int) -> Declaration {
    let keyword = tokens[index].range
    if index + 2 < tokens.count, tokens[index + 1].isKeyword("function") {
      let name = tokens[index + 2]
      return Declaration(
        keyword: keyword, attributes: [], end: name.range.upperBound, names: [name.text],
        isFunction: true, hasValues: true)
    }
    var names: [String] = []
    var attributes: [Range<Int>] = []
    var next = index + 1
    while next < tokens.count, tokens[next].kind == .name {
      names.append(tokens[next].text)
      next += 1
      if next + 2 < tokens.count, tokens[next].isSymbol("<") {
        attributes.append(tokens[next].range.lowerBound..<tokens[next + 2].range.upperBound)
        next += 3
      }
      guard next < tokens.count, tokens[next].isSymbol(",") else { break }
      next += 1
    }
    return Declaration(
      keyword: keyword, attributes: attributes, end: tokens[next - 1].range.upperBound,
      names: names, isFunction: false,
      hasValues: next < tokens.count && tokens[next].isSymbol("="))
  }

  /// Returns whether the statement assigns a name before it uses the name.
  package func begins(by name: String) -> Bool {
    guard let index = tokens.firstIndex(where: { $0.kind == .name && $0.text == name }) else {
      return false
    }
    if index > 0, tokens[index - 1].isKeyword("local") { return true }
    return index + 1 < tokens.count && tokens[index + 1].isSymbol("=")
  }

  // MARK: As a part of a script

  private typealias Edit = (range: Range<Int>, text: String)

  /// Returns the text of the statement as part of a script.
  ///
  /// - Parameters:
  ///   - hoisting: Whether the statement's locals are declared at another place in the script.
  ///   - hasValue: Whether the statement returned a value. In the script, the value is assigned to
  ///     `_`.
  package func text(hoisting: Bool, hasValue: Bool) -> [UInt8] {
    var edits = hoisting ? declarations.flatMap(StatementParts.edits) : []
    var end = ""
    if let result, !returnsFromBlock {
      let isEmpty = tokens[(result + 1)...].allSatisfy { $0.isSymbol(";") }
      let start = isEmpty ? "" : hasValue ? "_ =" : "do local _ ="
      edits.append((tokens[result].range, start))
      if !isEmpty, !hasValue { end = "\nend" }
    }
    var text = StatementParts.applying(edits, to: source) + Array(end.utf8)
    if returnsFromBlock {
      let start = hasValue ? "_ = (function(...)\n" : "(function(...)\n"
      text = Array(start.utf8) + text + Array("\nend)(...)".utf8)
    } else if hoisting, tokens.contains(where: { $0.isSymbol("::") }) {
      // Another statement may have a label of the same name, so enclose this one in a block.
      text = Array("do\n".utf8) + text + Array("\nend".utf8)
    }
    return text
  }

  private static func edits(_ declaration: Declaration) -> [Edit] {
    var edits: [Edit] = [(declaration.keyword, "")]
    edits += declaration.attributes.map { ($0, "") }
    if !declaration.isFunction, !declaration.hasValues {
      edits.append((declaration.end..<declaration.end, " = nil"))
    }
    return edits
  }

  private static func applying(_ edits: [Edit], to source: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var copied = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      let start = edit.range.lowerBound
      if start > copied { result += source[copied..<start] }
      result += Array(edit.text.utf8)
      var end = edit.range.upperBound
      // If a word is removed, the space after it is removed too.
      if edit.text.isEmpty, end < source.count, source[end] == 32 { end += 1 }
      copied = max(copied, end)
    }
    return result + source[copied...]
  }
}
