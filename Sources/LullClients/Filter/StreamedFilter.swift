import LullLuaSource

/// Which expressions of `-f` make of each page what they make of all of them, so that none need be kept.
///
/// Those made of `x`, `map`, `filter`, `pick` and `flatten`, each around the next, with names of fields
/// and functions; and `first` around such a one, which needs no more pages than it takes. A function
/// must be written there or be one of Lua's or of the filters; it reads nothing but what it is given
/// and what it declares, and assigns to nothing else. What cannot be told from the words is not.
package enum StreamedFilter: Equatable {
  /// What it gives of pages one after the other is what it gives of all.
  case elements
  /// As `elements`, of which the first so many are wanted.
  case first(Int)
  /// As `elements`, of which the first is wanted, by itself.
  case one

  /// nil: it is of all pages.
  package init?(_ filter: FilterText) {
    guard !filter.isFile || !filter.hasReturn else { return nil }
    var reader = Reader(tokens: LuaToken.all(in: filter.text.utf8))
    guard let found = reader.whole() else { return nil }
    self = found
  }

  /// The same, with `first` left out.
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
    /// Behind what `first` is around.
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

    /// `x`, or a function around such a thing.
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
      // Others raise, whatever there is.
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
