import CEditline
import LullHost
import LullLibC
import LullLuaSource
import LullSystem

/// Draws the colours of the edited line, and a suggestion after the line, because libedit supports
/// neither. `show` is called before the session waits for a key, and `hide` afterwards.
final class LineDecoration {
  private let editor: OpaquePointer
  private let terminal: Terminal
  private var suggestions = Suggestions()
  /// The suggested rest of the line. `text` is the statement and the line for which the rest was
  /// suggested.
  private var offered: (rest: String, text: String)?
  private var isShown = false

  init(_ editor: OpaquePointer, _ terminal: Terminal) {
    self.editor = editor
    self.terminal = terminal
  }

  func remember(_ entry: String) { suggestions.remember(entry) }

  /// Draws the colours of the edited line and a suggestion, if there is one.
  ///
  /// - Parameters:
  ///   - statement: The earlier lines of the same statement.
  ///   - promptWidth: The width of the prompt in columns.
  func show(after statement: String, promptWidth: Int) {
    var cursor = 0
    var length = 0
    offered = nil
    isShown = false
    // Text that is larger than the screen is not decorated, because libedit shows only a part of
    // that text.
    guard let start = ceditline_text(editor, &cursor, &length),
      length < terminal.width * terminal.height
    else { return }
    let characters = UnsafeBufferPointer(start: start, count: length)
    let text = WideText.string(start, length)
    let columns = { [editor] character in Int(ceditline_width(editor, character)) }
    let line = PaintedLine(
      promptWidth: promptWidth, screen: (terminal.width, terminal.height), columns: columns)
    var output = line.text(
      characters, cursor: cursor, colours: LineColours(text, after: statement).colours)
    if cursor == length, let rest = suggestions.rest(after: statement + text) {
      var place = ScreenPosition(column: promptWidth, width: terminal.width)
      for character in characters { place.pass(character, width: columns(character)) }
      let ghost = LineDecoration.ghost(of: rest, columns: terminal.width - place.column - 1)
      if !ghost.isEmpty { offered = (rest, statement + text) }
      output += ghost
    }
    isShown = offered != nil
    terminal.write(output)
  }

  /// Erases the suggestion, so that the screen matches libedit's internal state.
  func hide() {
    guard isShown else { return }
    isShown = false
    terminal.write("\u{1B}[K")
  }

  /// Returns the suggestion that was shown when the key was pressed. `nil` if the line has changed
  /// since then.
  func take(at statement: String) -> String? {
    var cursor = 0
    var length = 0
    guard let offered, let start = ceditline_text(editor, &cursor, &length), cursor == length,
      offered.text == statement + WideText.string(start, length)
    else { return nil }
    return offered.rest
  }

  /// Returns the output that draws a suggestion and moves the cursor back in front of it. Only the
  /// first line of the suggestion is drawn, cut off at the end of the row, with control characters
  /// escaped.
  static func ghost(of suggestion: String, columns: Int) -> String {
    let first = suggestion.prefix { !$0.isNewline }
    let visible = TerminalText.visible(String(first).replacing("\t", with: " "))
    var shown = ""
    var width = 0
    for character in visible {
      let more = TextWidth.of(character)
      // One column is left for the character that shows that the line was cut off.
      guard width + more < columns else { break }
      shown.append(character)
      width += more
    }
    if shown.count < visible.count || first.count < suggestion.count {
      guard columns > 0 else { return "" }
      shown += "…"
      width += 1
    }
    guard width > 0 else { return "" }
    return "\u{1B}[2m" + shown + "\u{1B}[0m\u{1B}[\(width)D"
  }
}

/// The colours of the characters in a line of Lua.
struct LineColours: Equatable {
  enum Colour: UInt8 {
    case plain
    case keyword
    case number
    case string
    /// A string whose end is missing.
    case openString
    case comment

    /// The parameters of the escape sequence for the colour. (ECMA-48, SGR)
    var code: String {
      switch self {
      case .plain: "0"
      case .keyword: "35"
      case .number: "36"
      case .string: "32"
      case .openString: "33"
      case .comment: "2"
      }
    }
  }

  /// The colours, one for each Unicode scalar of the text.
  let colours: [Colour]

  /// Determines the colours of a line.
  ///
  /// - Parameters:
  ///   - text: The edited line.
  ///   - statement: The earlier lines of the same statement.
  init(_ text: String, after statement: String) {
    let isLua = !(statement.isEmpty && Directive(text) != nil)
    let before = statement.utf8.count
    var bytes = [Colour](repeating: .plain, count: text.utf8.count)
    for token in isLua ? LuaToken.all(in: (statement + text).utf8, withComments: true) : [] {
      let colour = LineColours.colour(of: token.kind)
      guard colour != .plain, token.range.upperBound > before else { continue }
      for position in max(token.range.lowerBound, before)..<token.range.upperBound {
        bytes[position - before] = colour
      }
    }
    var position = 0
    colours = text.unicodeScalars.map { scalar in
      defer { position += UTF8.width(scalar) }
      return bytes[position]
    }
  }

  private static func colour(of kind: LuaToken.Kind) -> Colour {
    switch kind {
    case .keyword: .keyword
    case .number: .number
    case .string: .string
    case .openString: .openString
    case .comment, .openComment: .comment
    case .name, .symbol: .plain
    }
  }
}

/// Draws an edited line in colours over the line that libedit has drawn, because libedit does not
/// support colours. The characters and their positions stay the same, so that the screen still
/// matches libedit's internal state.
struct PaintedLine {
  /// Returns the number of columns of a character. The number is negative if the character can't be
  /// printed.
  private let columns: (wchar_t) -> Int
  private let promptWidth: Int
  private let screen: (width: Int, height: Int)

  /// Creates a drawing of a line.
  ///
  /// - Parameter columns: Returns the number of columns of a character. The number is negative if
  ///   the character can't be printed.
  init(
    promptWidth: Int, screen: (width: Int, height: Int), columns: @escaping (wchar_t) -> Int
  ) {
    self.columns = columns
    self.promptWidth = promptWidth
    self.screen = screen
  }

  /// Returns the output that draws the line in colours. Before and after the output, the cursor is
  /// where libedit expects it. The output is empty if libedit shows only a part of the text, or
  /// shows other characters.
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
      // libedit draws control characters in another form, so they are not drawn here. A combining
      // character must be in the same row as the letter before it.
      let isText = character == 10 || character == 9 || scalar.value >= 32 && width >= 0
      guard isText, width != 0 || before.column > 0 || character == 10 || character == 9,
        character != 9 || !position.isTabCut
      else { return "" }
      position.pass(character, width: width)
      if character == 10 || character == 9 {
        // A tab is skipped without drawing, because it has no colour.
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
