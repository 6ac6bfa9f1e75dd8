import LullLibC

/// A position on the screen, relative to the start of the prompt, in the layout that libedit uses.
struct ScreenPosition: Equatable {
  private(set) var row = 0
  private(set) var column: Int
  private let screenWidth: Int

  /// Creates the position at the end of the prompt.
  ///
  /// - Parameters:
  ///   - column: The column at which the prompt ends.
  ///   - width: The width of the screen in columns.
  init(column: Int, width: Int) {
    self.column = column
    screenWidth = max(1, width)
    wrap()
  }

  /// Moves the position past a character. `width` is the number of columns of the character, which
  /// is negative if the character can't be printed.
  mutating func pass(_ character: wchar_t, width: Int) {
    switch character {
    case 10:
      row += 1
      column = 0
    case 9: advance(8 - column % 8)
    // A control character is shown as, for example, ^A.
    case 0..<32, 127..<160: advance(2)
    // A character that can't be printed is shown as, for example, \U+1234.
    case _ where width < 0: for _ in 0..<(character > 0xFFFF ? 8 : 7) { advance(1) }
    default: advance(width)
    }
  }

  /// Whether a tab at this position would cross the edge of the screen. libedit draws such a tab
  /// differently from its internal state.
  var isTabCut: Bool { 8 - column % 8 > screenWidth - column }

  /// Returns the position at which a character starts if the text before it ends at `place`. A wide
  /// character that does not fit in the row starts in the next row.
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
