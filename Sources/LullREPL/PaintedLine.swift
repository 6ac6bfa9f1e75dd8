import LullLibC

/// Writes a line in colours over the one that libedit, which knows none, has drawn: the same characters
/// in the same cells, so that what libedit believes of the screen stays true.
struct PaintedLine {
  /// What a character takes of the screen.
  private let columns: (wchar_t) -> Int
  private let promptWidth: Int
  private let screen: (width: Int, height: Int)

  /// - Parameters:
  ///   - columns: of a character; negative if it cannot be printed.
  init(
    promptWidth: Int, screen: (width: Int, height: Int), columns: @escaping (wchar_t) -> Int
  ) {
    self.columns = columns
    self.promptWidth = promptWidth
    self.screen = screen
  }

  /// What goes to the terminal, whose cursor stands where libedit has it and will stand there again; ""
  /// where libedit shows less than all of it, or other characters than these.
  func text(
    _ characters: UnsafeBufferPointer<wchar_t>, cursor: Int, colours: [LineColours.Colour]
  ) -> String {
    guard colours.count == characters.count else { return "" }
    var position = ScreenPosition(column: promptWidth, width: screen.width)
    var cursorPlace = position
    var rows: [(column: Int, text: String)] = [(position.column, "")]
    var colour = LineColours.Colour.plain
    for (index, character) in characters.enumerated() {
      if index == cursor {
        cursorPlace = position.start(ofCharacter: columns(character), from: position)
      }
      guard let scalar = Unicode.Scalar(UInt32(bitPattern: character)) else { return "" }
      let before = position
      let width = columns(character)
      // Control characters and the like are drawn as something else; what joins the letter before it
      // stays in that one's row.
      let isText = character == 10 || character == 9 || scalar.value >= 32 && width >= 0
      guard isText, width != 0 || before.column > 0 || character == 10 || character == 9,
        character != 9 || !position.isTabCut
      else { return "" }
      position.pass(character, width: width)
      if character == 10 || character == 9 {
        // A tab is drawn as blanks, which are of no colour.
        fill(&rows, to: position)
        if character == 9, rows.count == position.row + 1 {
          let blanks = position.column - (before.row == position.row ? before.column : 0)
          if blanks > 0 { rows[position.row].text += "\u{1B}[\(blanks)C" }
        }
        continue
      }
      let start = position.start(ofCharacter: width, from: before)
      fill(&rows, to: start)
      if colours[index] != colour || rows[start.row].text.isEmpty {
        colour = colours[index]
        rows[start.row].text += "\u{1B}[0;\(colour.code)m"
      }
      rows[start.row].text.unicodeScalars.append(scalar)
    }
    if cursor >= characters.count { cursorPlace = position }
    guard max(position.row, cursorPlace.row) < screen.height - 1 else { return "" }
    return output(rows, cursor: cursorPlace)
  }

  private func fill(_ rows: inout [(column: Int, text: String)], to place: ScreenPosition) {
    while rows.count <= place.row { rows.append((0, "")) }
  }

  private func output(_ rows: [(column: Int, text: String)], cursor: ScreenPosition) -> String {
    var output = cursor.row > 0 ? "\u{1B}[\(cursor.row)A" : ""
    for (index, row) in rows.enumerated() {
      if index > 0 { output += "\u{1B}[B" }
      output += "\r" + (row.column > 0 ? "\u{1B}[\(row.column)C" : "") + row.text
    }
    output += "\u{1B}[0m"
    let below = rows.count - 1 - cursor.row
    if below > 0 { output += "\u{1B}[\(below)A" }
    if below < 0 { output += "\u{1B}[\(-below)B" }
    return output + "\r" + (cursor.column > 0 ? "\u{1B}[\(cursor.column)C" : "")
  }
}
