import LullLuaSource

/// Recognizes expressions of `-f` whose result for all pages is the concatenation of their results
/// for each page, so that pages need not be kept.
///
/// These consist of nested calls of `map`, `filter`, `pick` and `flatten` around `x`, with field
/// names and functions; and of `first` around such an expression, which loads only the pages it
/// needs. A function must be written in the expression, or be one of Lua's or of the filters. It
/// may read only its arguments and its own variables, and assign only to its own variables. If that
/// can't be decided from the tokens, the expression is not streamed.
package enum StreamedFilter: Equatable {
  /// The results of the pages, concatenated.
  case elements
  /// The given number of first elements of `elements`.
  case first(Int)
  /// The first element of `elements`, not as a list.
  case one

  /// nil if the expression needs all pages.
  package init?(_ filter: FilterText) {
    guard !filter.isFile || !filter.hasReturn else { return nil }
    var reader = Reader(tokens: LuaToken.all(in: filter.text.utf8))
    guard let found = reader.whole() else { return nil }
    self = found
  }

  /// Returns the expression without `first`.
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
    /// The end of the argument of `first`.
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

    /// Reads `x`, or a function call around such an expression.
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
      // Other argument counts raise an error anyway.
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
