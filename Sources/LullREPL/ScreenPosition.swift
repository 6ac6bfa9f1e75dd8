import LullLibC

/// A place on the screen, counted from where a prompt begins, as libedit lays a line out.
struct ScreenPosition: Equatable {
  private(set) var row = 0
  private(set) var column: Int
  private let screenWidth: Int

  /// - Parameters:
  ///   - column: of the prompt's end.
  ///   - width: of the screen.
  init(column: Int, width: Int) {
    self.column = column
    screenWidth = max(1, width)
    wrap()
  }

  /// Goes past a character; `width`: what it takes of the screen if it can be printed.
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

  /// Whether a tab goes over the edge: what libedit draws is then not what it believes.
  var isTabCut: Bool { 8 - column % 8 > screenWidth - column }

  /// Where a character begins that comes after `place`: a wide one that does not fit there goes to the
  /// next row whole.
  func start(ofCharacter width: Int, from place: ScreenPosition) -> ScreenPosition {
    guard width == 2, place.column == screenWidth - 1 else { return place }
    var start = place
    start.advance(1)
    return start
  }

  private mutating func advance(_ width: Int) {
    // A wide one that does not fit goes to the next row whole.
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
