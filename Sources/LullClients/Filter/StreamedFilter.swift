import LullLuaSource

/// Recognizes expressions of `-f` that can be evaluated page by page, so that pages need not be
/// kept. Their result for all pages is the concatenation of the results for each page.
///
/// Such an expression consists of nested calls of `map`, `filter`, `pick` and `flatten` around `x`,
/// with field names and functions as arguments. It may be inside a call of `first`, which loads
/// only the pages it needs.
///
/// A function must be written in the expression, or be one of Lua's or of the filters. It may read
/// only its arguments and its own variables, and assign only to its own variables. If the tokens do
/// not show that a function keeps these rules, the expression is not streamed.
package enum StreamedFilter: Equatable {
  /// The result is the list of the results of all pages.
  case elements
  /// The result is a list of this many first elements.
  case first(Int)
  /// The result is the first element itself, not a list.
  case one

  /// Recognizes an expression. nil if the expression needs all pages at once.
  package init?(_ filter: FilterText) {
    guard !filter.isFile || !filter.hasReturn else { return nil }
    var reader = Reader(tokens: LuaToken.all(in: filter.text.utf8))
    guard let found = reader.whole() else { return nil }
    self = found
  }

  /// Returns the expression inside the call of `first`. Without such a call, returns the whole
  /// expression.
  package static func inner(of filter: FilterText) -> FilterText? {
    let tokens = LuaToken.all(in: filter.text.utf8)
    var reader = Reader(tokens: tokens)
    guard let found = reader.whole() else { return nil }
    guard found != .elements else { return filter }
    let bytes = Array(filter.text.utf8)
    let range = tokens[2].range.lowerBound..<tokens[reader.innerEnd - 1].range.upperBound
    return FilterText(String(decoding: bytes[range], as: UTF8.self))
  }
}

extension StreamedFilter {
  private struct Reader {
    let tokens: [LuaToken]
    var place = 0
    /// The index of the token after the argument of `first`.
    var innerEnd = 0

    private var next: LuaToken? { place < tokens.count ? tokens[place] : nil }

    private mutating func take(_ symbol: String) -> Bool {
      guard next?.isSymbol(symbol) == true else { return false }
      place += 1
      return true
    }

    private mutating func takeName(_ name: String) -> Bool {
      guard let next, next.kind == .name, next.text == name else { return false }
      place += 1
      return true
    }

    mutating func whole() -> StreamedFilter? {
      guard takeName("first") else { return elements() && next == nil ? .elements : nil }
      guard take("("), elements() else { return nil }
      innerEnd = place
      var count: Int?
      if take(",") {
        guard let number = next, number.kind == .number, let value = Int(number.text) else {
          return nil
        }
        place += 1
        count = value
      }
      guard take(")"), next == nil else { return nil }
      return count.map { .first($0) } ?? .one
    }

    /// Reads `x`, or a function call around another expression of this kind.
    private mutating func elements() -> Bool {
      if takeName("x") { return true }
      guard let name = next, name.kind == .name,
        ["map", "filter", "pick", "flatten"].contains(name.text)
      else { return false }
      place += 1
      guard take("("), elements() else { return false }
      var count = 0
      while take(",") {
        guard argument(of: name.text) else { return false }
        count += 1
      }
      // Any other number of arguments raises an error when the expression is evaluated.
      let fits =
        switch name.text {
        case "map": count == 1
        case "pick": count > 0
        default: count < 2
        }
      return fits && take(")")
    }

    private mutating func argument(of function: String) -> Bool {
      guard let token = next else { return false }
      switch token.kind {
      case .string:
        place += 1
        return function != "flatten"
      case .number:
        place += 1
        return function == "flatten" && Int(token.text).map { $0 > 0 } == true
      case .keyword where token.text == "function":
        return ["map", "filter"].contains(function) && FunctionReader.read(tokens, &place)
      case .name where FunctionReader.known.contains(token.text) && token.text != "x":
        place += 1
        while take(".") {
          guard next?.kind == .name, next?.text != "random" else { return false }
          place += 1
        }
        return ["map", "filter"].contains(function)
      default: return false
      }
    }
  }
}
