import CEditline
import LullLibC
import LullHost
import LullSystem

/// Colours of the line that is edited, and what history suggests behind it: what libedit does not know,
/// written around what it draws. Between `show` and `hide` the terminal waits for a key.
final class LineDecoration {
  private let editor: OpaquePointer
  private let terminal: Terminal
  private var suggestions = Suggestions()
  /// What is behind the text, and the text it is for, statement and line.
  private var offered: (rest: String, text: String)?
  private var isShown = false

  init(_ editor: OpaquePointer, _ terminal: Terminal) {
    self.editor = editor
    self.terminal = terminal
  }

  func remember(_ entry: String) { suggestions.remember(entry) }

  /// - Parameters:
  ///   - statement: lines before the edited one that belong to the same statement.
  ///   - promptWidth: in columns.
  func show(after statement: String, promptWidth: Int) {
    var cursor = 0
    var length = 0
    offered = nil
    isShown = false
    // What takes more than the screen is shown in parts only.
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

  /// Takes the suggestion off the screen, which is then as libedit believes it to be.
  func hide() {
    guard isShown else { return }
    isShown = false
    terminal.write("\u{1B}[K")
  }

  /// What was suggested when the key was pressed, for the line as it is.
  func take(at statement: String) -> String? {
    var cursor = 0
    var length = 0
    guard let offered, let start = ceditline_text(editor, &cursor, &length), cursor == length,
      offered.text == statement + WideText.string(start, length)
    else { return nil }
    return offered.rest
  }

  /// The first line of a suggestion, as far as there is room in the row, with the cursor before it; what
  /// would act on the terminal is spelled out.
  static func ghost(of suggestion: String, columns: Int) -> String {
    let first = suggestion.prefix { !$0.isNewline }
    let visible = TerminalText.visible(String(first).replacing("\t", with: " "))
    var shown = ""
    var width = 0
    for character in visible {
      let more = TextWidth.of(String(character))
      // Room for the mark that there is more.
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
