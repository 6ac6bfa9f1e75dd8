import LullLibC

/// A position on the screen relative to the start of the prompt, as libedit lays out a line.
struct ScreenPosition: Equatable {
  private(set) var row = 0
  private(set) var column: Int
  private let screenWidth: Int

  /// - Parameters:
  ///   - column: The end of the prompt.
  ///   - width: The width of the screen.
  init(column: Int, width: Int) {
    self.column = column
    screenWidth = max(1, width)
    wrap()
  }

  /// Moves past a character. `width` is its number of columns if it can be printed.
  mutating func pass(_ character: wchar_t, width: Int) {
    switch character {
    case 10:
      row += 1
      column = 0
    case 9: advance(8 - column % 8)
    // ^A
    case 0..<32, 127..<160: advance(2)
    // \U+1234
    case _ where width < 0: for _ in 0..<(character > 0xFFFF ? 8 : 7) { advance(1) }
    default: advance(width)
    }
  }

  /// Whether a tab crosses the edge of the screen. libedit then draws it differently from its own
  /// state.
  var isTabCut: Bool { 8 - column % 8 > screenWidth - column }

  /// The start of a character after `place`. A wide one that does not fit goes to the next row.
  func start(ofCharacter width: Int, from place: ScreenPosition) -> ScreenPosition {
    guard width == 2, place.column == screenWidth - 1 else { return place }
    var start = place
    start.advance(1)
    return start
  }

  private mutating func advance(_ width: Int) {
    // A wide character that does not fit goes to the next row.
    if width == 2, column == screenWidth - 1 { column += 1 }
    wrap()
    column += width
    wrap()
  }

  private mutating func wrap() {
    row += column / screenWidth
    column %= screenWidth
  }
}
