/// The blocks of a chunk. A session needs them to read the top-level locals when the chunk returns.
package enum ChunkBlocks {
  /// Returns the source with a mark at the beginning of every block that is not inside a function,
  /// and without `<const>`.
  ///
  /// The locals of such a block are not variables of the session. `<const>` is removed, because a
  /// constant that is known at compile time can't be read from the stack.
  package static func marking(_ source: [UInt8], with mark: [UInt8]) -> [UInt8] {
    let tokens = LuaToken.all(in: source)
    guard tokens.contains(where: { $0.isKeyword("local") }) else { return source }
    var result: [UInt8] = []
    var copied = 0
    var blocks: [Block] = []
    for (index, token) in tokens.enumerated() {
      let opensBlock = ChunkBlocks.follow(token, &blocks)
      if opensBlock, blocks.count == 1, blocks.last != .function {
        result += source[copied..<token.range.upperBound] + mark
        copied = token.range.upperBound
      } else if let attribute = ChunkBlocks.constAttribute(tokens, at: index) {
        result += source[copied..<attribute.lowerBound]
        // Keep line breaks, so that the numbers of the lines do not change.
        result += source[attribute].map { $0 == 10 ? 10 : UInt8(ascii: " ") }
        copied = attribute.upperBound
      }
    }
    return result + source[copied...]
  }

  private enum Block {
    case function
    /// The part of a loop from `for` or `while` to its `do`.
    case loopHead
    case block
  }

  /// Updates the stack of open blocks for a token. Returns whether the token begins a block, so
  /// that statements follow it.
  private static func follow(_ token: LuaToken, _ blocks: inout [Block]) -> Bool {
    guard token.kind == .keyword else { return false }
    switch token.text {
    case "function":
      blocks.append(.function)
      return false
    case "for", "while":
      blocks.append(.loopHead)
      return false
    case "do":
      if blocks.last == .loopHead { blocks.removeLast() }
      blocks.append(.block)
      return true
    case "repeat", "then":
      blocks.append(.block)
      return true
    case "else":
      return true
    case "elseif":
      blocks.removeLast(blocks.isEmpty ? 0 : 1)
      return false
    case "end", "until":
      blocks.removeLast(blocks.isEmpty ? 0 : 1)
      return false
    default: return false
    }
  }

  /// Returns the bytes of an attribute `<const>` that begins at `index` and follows a declared
  /// name. nil if there is none.
  private static func constAttribute(_ tokens: [LuaToken], at index: Int) -> Range<Int>? {
    guard tokens[index].isSymbol("<"), index >= 2, index + 2 < tokens.count,
      tokens[index + 1].text == "const", tokens[index + 2].isSymbol(">"),
      tokens[index - 1].kind == .name, isDeclared(tokens, at: index - 1)
    else { return nil }
    return tokens[index].range.lowerBound..<tokens[index + 2].range.upperBound
  }

  /// Returns whether the name at `index` is one of the names that a `local` declares.
  private static func isDeclared(_ tokens: [LuaToken], at index: Int) -> Bool {
    var position = index - 1
    while position >= 0 {
      if tokens[position].isKeyword("local") { return true }
      guard tokens[position].isSymbol(",") else { return false }
      position -= 1
      if position >= 0, tokens[position].isSymbol(">") { position -= 3 }
      guard position >= 0, tokens[position].kind == .name else { return false }
      position -= 1
    }
    return false
  }
}
