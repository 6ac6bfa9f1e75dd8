/// Finds the functions in a source.
package struct FunctionTexts {
  private struct Function {
    /// The tokens from `function` to `end`.
    let tokens: Range<Int>
    /// The lines from `function` to the end of the parameters. The interpreter reports one of these
    /// lines as the line of the definition.
    let lines: ClosedRange<Int>
    /// The name of a local function. nil for other functions.
    let name: String?
  }

  private let tokens: [LuaToken]
  private let bytes: [UInt8]
  private var functions: [Function] = []

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let tokens = LuaToken.all(in: bytes)
    self.tokens = tokens
    var (line, position) = (1, 0)
    let lines = tokens.map { token in
      line += bytes[position..<token.range.lowerBound].count { $0 == 10 }
      position = token.range.lowerBound
      return line
    }
    var blocks: [(isFunction: Bool, place: Int)] = []
    for (place, token) in tokens.enumerated() where token.kind == .keyword {
      switch token.text {
      case "function", "do", "if", "repeat":
        blocks.append((token.isKeyword("function"), place))
      case "end", "until":
        guard let block = blocks.popLast(), block.isFunction else { continue }
        let list = tokens[block.place...place].firstIndex { $0.isSymbol("(") } ?? place
        functions.append(
          Function(
            tokens: block.place..<place + 1, lines: lines[block.place]...lines[list],
            name: FunctionTexts.localName(ofFunctionAt: block.place, in: tokens)))
      default: break
      }
    }
  }

  /// Returns the name in `local function name` or `local name <const> = function`. nil for other
  /// functions.
  private static func localName(ofFunctionAt place: Int, in tokens: [LuaToken]) -> String? {
    guard place > 0 else { return nil }
    if tokens[place - 1].isKeyword("local") { return tokens[place + 1].text }
    guard tokens[place - 1].isSymbol("=") else { return nil }
    var index = place - 2
    if index > 2, tokens[index].isSymbol(">") { index -= 3 }
    guard index > 0, tokens[index].kind == .name, tokens[index - 1].isKeyword("local") else {
      return nil
    }
    return tokens[index].text
  }

  /// Returns the functions that are defined on a line, and the local functions that these functions
  /// use, directly or indirectly. Each function is returned as the bytes of its tokens.
  package func tokens(ofFunctionsOn line: Int) -> [[ArraySlice<UInt8>]] {
    var taken = functions.indices.filter { functions[$0].lines.contains(line) }
    var next = 0
    while next < taken.count {
      let names = names(in: functions[taken[next]].tokens)
      next += 1
      taken += functions.indices.filter { index in
        functions[index].name.map { names.contains($0) } ?? false && !taken.contains(index)
      }
    }
    return taken.map { functions[$0].tokens.map { bytes[tokens[$0].range] } }
  }

  /// Returns the names in a range of tokens, without the names of fields and methods.
  private func names(in range: Range<Int>) -> Set<String> {
    Set(
      range.filter { place in
        tokens[place].kind == .name
          && !(place > 0 && (tokens[place - 1].isSymbol(".") || tokens[place - 1].isSymbol(":")))
      }.map { tokens[$0].text })
  }
}
