import CEditline
import LullCore
import LullHost
import LullLibC
import LullSystem
import LullTransport

/// Edits lines on a terminal with libedit. While libedit waits for a character, the event loop
/// runs, and output is shown above the edited line.
final class EditedLines: LineSource {
  private static let prompts = (first: "> ", more: ">> ")

  private let loop: ScriptLoop
  private let session: SessionKeeper
  private let terminal: Terminal
  private let captured: CapturedOutput
  private let watch: DescriptorWatch
  private let history: History
  private let completer: (_ text: String, _ statement: String) -> Completion
  private var editor: OpaquePointer?
  /// Draws colours and suggestions. `nil` if the terminal shows no colours.
  private var decoration: LineDecoration?
  private var files: [UnsafeMutablePointer<FILE>] = []
  private var signals: [SignalWatch] = []
  private var prompt: [wchar_t] = []
  private var promptWidth = 0
  /// Typed bytes that have not been passed to libedit yet.
  private var typed: [UInt8] = []
  private var isEditing = false
  private var announcesPastes = false
  private var isAbandoned = false
  private var isAtEnd = false
  /// The last line of the output above the edited line, if that output line has no line break yet.
  private var openLine: [UInt8] = []
  /// The lines of an incomplete statement.
  private var statement = ""

  let isInteractive = true

  /// Starts editing on a terminal. Returns `nil` if editing is not possible; `problem` may then
  /// contain the reason.
  init?(
    _ host: LuaHost, _ terminal: Terminal, problem: inout String?,
    completer: @escaping (_ text: String, _ statement: String) -> Completion
  ) {
    guard Terminal.isCapable, let captured = CapturedOutput(),
      let watch = host.environment.watch(STDIN_FILENO)
    else { return nil }
    loop = host.loop
    session = host.session
    self.terminal = terminal
    self.captured = captured
    self.watch = watch
    self.completer = completer
    history = History()
    guard let input = fdopen(dup(STDIN_FILENO), "r"),
      let output = fdopen(dup(terminal.descriptor), "w")
    else { return nil }
    files = [input, output]
    var owner = ceditline_owner()
    // The pointer needs no retain, because the editor is closed before this object is released.
    owner.context = Unmanaged.passUnretained(self).toOpaque()
    owner.read = { context, character in
      guard let character else { return -1 }
      return EditedLines.at(context).read(character)
    }
    owner.prompt = { context in
      // The array does not change while libedit draws.
      EditedLines.at(context).prompt.withUnsafeBufferPointer { $0.baseAddress }
    }
    owner.complete = { context in EditedLines.at(context).complete() }
    owner.advance = { context, toEnd in EditedLines.at(context).advance(toEnd: toEnd != 0) }
    owner.paste = { context in EditedLines.at(context).paste() }
    var reason: UnsafePointer<CChar>?
    editor = ceditline_open("lull", input, output, &owner, &reason)
    guard let editor else {
      problem = reason.map { String(cString: $0) }
      close()
      return nil
    }
    if Terminal.wantsColour { decoration = LineDecoration(editor, terminal) }
    for entry in history.load() { remember(entry) }
    session.hasOutput = { [captured] in captured.hasOutput }
    for (number, action) in [(SIGWINCH, resized), (SIGCONT, continued)] {
      if let signal = host.environment.watchSignal(number, action) { signals.append(signal) }
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> EditedLines {
    // The context is the object that `init` passed. `close` ends the editor before the object is
    // released.
    Unmanaged<EditedLines>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }

  func close() {
    session.hasOutput = nil
    for signal in signals { signal.close() }
    signals = []
    watch.close()
    decoration = nil
    if let editor { ceditline_close(editor) }
    editor = nil
    for file in files { fclose(file) }
    files = []
  }

  // MARK: Lines

  func next(isContinuation: Bool) -> LineInput {
    guard let editor else { return .end }
    if !isContinuation { statement = "" }
    setPrompt(isContinuation ? EditedLines.prompts.more : EditedLines.prompts.first)
    // If the script's last output line is not complete, the prompt begins on a new line, so that
    // the output stays visible.
    if ceditline_is_line_open() != 0 {
      fflush(nil)
      terminal.write("\n")
    }
    isAbandoned = false
    openLine = []
    captured.begin()
    isEditing = true
    session.isAtPrompt = true
    // libedit shows its prompt before it prepares the terminal. Until then, the terminal would
    // interpret typed characters. So the terminal is prepared here.
    ceditline_prepare(editor)
    var count: Int32 = 0
    let line = ceditline_read_line(editor, &count)
    isEditing = false
    session.isAtPrompt = false
    announcePastes(false)
    captured.end()
    defer { terminal.write(captured.take()[...]) }
    if isAbandoned {
      leaveLine("^C")
      return .abandoned
    }
    guard let line, count > 0 else {
      leaveLine("")
      // Ctrl-D discards an incomplete statement, as Ctrl-C does. At the start of a statement, it
      // ends the session.
      let isLeft = isContinuation && !isAtEnd && !loop.isInterrupted && !session.isEnding
      return isLeft ? .abandoned : .end
    }
    let text = WideText.string(line, Int(count))
    statement += text
    return .line(Array((text.last?.isNewline == true ? text.dropLast() : text[...]).utf8))
  }

  func remember(_ statement: [UInt8]) {
    let text = String(decoding: statement, as: UTF8.self)
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    remember(text)
    history.append(text)
  }

  private func remember(_ entry: String) {
    guard let editor else { return }
    ceditline_remember(editor, WideText.characters(entry))
    decoration?.remember(entry)
  }

  /// Called if Ctrl-C arrived as a signal. Discards the edited line.
  func abandon() { isAbandoned = true }

  private func setPrompt(_ text: String) {
    prompt = WideText.characters(text)
    promptWidth = text.count
  }

  // MARK: Characters

  /// Gets the next typed character for libedit. Returns 1 if there is a character, 0 at the end of
  /// the input, or -1 to discard the line.
  private func read(_ character: UnsafeMutablePointer<wchar_t>) -> Int32 {
    defer { decoration?.hide() }
    while true {
      guard !isAbandoned, !loop.isInterrupted, !session.isEnding else { return -1 }
      announcePastes(true)
      if let scalar = takeScalar() {
        // After the end of the line, the terminal belongs to the script, so pastes are no longer
        // marked.
        if scalar == "\n" || scalar == "\r" { announcePastes(false) }
        character.pointee = wchar_t(bitPattern: scalar.value)
        return 1
      }
      if isAtEnd { return 0 }
      waitForInput()
    }
  }

  /// Waits until something has been typed, output has arrived or the line is discarded. If output
  /// has arrived, shows it.
  private func waitForInput() {
    decorate()
    loop.run {
      watch.isReady || captured.hasOutput || isAbandoned || loop.isInterrupted
        || session.isEnding
    }
    showOutput()
    if watch.isReady { fill() }
  }

  private func fill() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = LullLibC.read(STDIN_FILENO, &buffer, buffer.count)
    if count > 0 {
      typed += buffer[..<count]
    } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
      isAtEnd = true
    }
    watch.rearm()
  }

  /// Removes a complete UTF-8 sequence from the typed bytes and returns its character. Invalid
  /// bytes are skipped.
  private func takeScalar() -> Unicode.Scalar? {
    while let first = typed.first {
      let length = UTF8Validation.length(startingWith: first)
      if length == 0 {
        typed.removeFirst()
        continue
      }
      guard typed.count >= length else { return nil }
      let text = String(validating: typed[..<length], as: UTF8.self)
      typed.removeFirst(text == nil ? 1 : length)
      if let scalar = text?.unicodeScalars.first { return scalar }
    }
    return nil
  }

  // MARK: The screen

  private func decorate() {
    guard isEditing else { return }
    decoration?.show(after: statement, promptWidth: promptWidth)
  }

  /// Writes new output above the edited line and redraws the edited line below the output.
  private func showOutput() {
    let output = captured.take()
    guard !output.isEmpty, let editor else { return }
    eraseLine()
    if !openLine.isEmpty { terminal.write("\u{1B}[\(rows(of: openLine))A\r\u{1B}[J") }
    let text = openLine + output
    openLine = text.last == 10 ? [] : Array(text[(text.lastIndex(of: 10).map { $0 + 1 } ?? 0)...])
    terminal.write(text[...])
    if !openLine.isEmpty { terminal.write("\n") }
    ceditline_draw(editor)
  }

  /// Erases the prompt and the edited line. Afterwards, the cursor is at the place where the prompt
  /// began.
  private func eraseLine() {
    let row = position(all: false).row
    terminal.write((row > 0 ? "\u{1B}[\(row)A" : "") + "\r\u{1B}[J")
  }

  /// Leaves the edited line on the screen, writes the text `mark` after it, and moves the cursor to
  /// a new line.
  private func leaveLine(_ mark: String) {
    let below = position(all: true).row - position(all: false).row
    terminal.write((below > 0 ? "\u{1B}[\(below)B" : "") + mark + "\n")
  }

  /// Returns the position of the cursor. If `all` is true, returns the position of the end of the
  /// line. Both are relative to the start of the prompt.
  private func position(all: Bool) -> ScreenPosition {
    var position = ScreenPosition(column: promptWidth, width: terminal.width)
    guard let editor else { return position }
    var cursor = 0
    var length = 0
    guard let text = ceditline_text(editor, &cursor, &length) else { return position }
    let end = all ? length : cursor
    for index in 0..<end {
      position.pass(text[index], width: Int(ceditline_width(editor, text[index])))
    }
    guard end < length else { return position }
    return position.start(ofCharacter: Int(ceditline_width(editor, text[end])), from: position)
  }

  /// Returns the number of screen rows of an output line that is not complete.
  private func rows(of line: [UInt8]) -> Int {
    guard let editor else { return 1 }
    return WideText.rows(of: line, width: terminal.width) { ceditline_width(editor, $0) }
  }

  private func resized() {
    guard isEditing, let editor else { return }
    eraseLine()
    ceditline_resize(editor)
    ceditline_draw(editor)
    decorate()
  }

  /// Redraws the line after the process was stopped and continued, because another process may have
  /// used the terminal meanwhile.
  private func continued() {
    guard isEditing, let editor else { return }
    ceditline_prepare(editor)
    terminal.write("\r\u{1B}[J")
    ceditline_draw(editor)
    decorate()
  }

  // MARK: Completion

  private func complete() -> UInt8 {
    guard let editor else { return UInt8(CC_ERROR) }
    var cursor = 0
    var length = 0
    guard let text = ceditline_text(editor, &cursor, &length) else { return UInt8(CC_ERROR) }
    let before = WideText.string(text, cursor)
    if before.reversed().prefix(while: { !$0.isNewline }).allSatisfy(\.isWhitespace) {
      // There is nothing to complete, so the line is indented.
      ceditline_insert(editor, WideText.characters("  "))
      return UInt8(CC_REFRESH)
    }
    let completion = completer(before, statement)
    if !completion.insertion.isEmpty {
      ceditline_insert(editor, WideText.characters(completion.insertion))
      return UInt8(CC_REFRESH)
    }
    guard completion.candidates.count > 1 else { return UInt8(CC_ERROR) }
    eraseLine()
    let candidates = completion.candidates.map { TerminalText.visible($0) }
    terminal.write(Columns.text(candidates, width: terminal.width))
    ceditline_draw(editor)
    return UInt8(CC_NORM)
  }

  // MARK: Suggestions

  /// Handles a key that moves the cursor forward. At the end of the line, the key accepts the
  /// suggestion.
  private func advance(toEnd: Bool) -> UInt8 {
    guard let editor else { return UInt8(CC_ERROR) }
    var cursor = 0
    var length = 0
    guard ceditline_text(editor, &cursor, &length) != nil else { return UInt8(CC_ERROR) }
    if cursor < length {
      ceditline_move(editor, Int32(clamping: toEnd ? length - cursor : 1))
      return UInt8(CC_CURSOR)
    }
    guard let suggestion = decoration?.take(at: statement) else {
      return UInt8(toEnd ? CC_NORM : CC_ERROR)
    }
    ceditline_insert(editor, WideText.characters(suggestion))
    return UInt8(CC_REFRESH)
  }

  // MARK: Pastes

  /// Enables or disables bracketed paste, a mode in which the terminal marks the start and the end
  /// of pasted text. The mode is enabled only while a line is edited.
  private func announcePastes(_ isOn: Bool) {
    guard announcesPastes != isOn else { return }
    announcesPastes = isOn
    terminal.write(isOn ? "\u{1B}[?2004h" : "\u{1B}[?2004l")
  }

  /// Inserts pasted text into the edited line without running it, even if the text has several
  /// lines.
  private func paste() -> UInt8 {
    let end = Array("\u{1B}[201~".utf8)
    while !typed.contains(end) {
      guard !isAtEnd, !isAbandoned, !loop.isInterrupted, !session.isEnding else {
        typed = []
        return UInt8(CC_ERROR)
      }
      waitForInput()
    }
    guard let editor, let range = typed.firstRange(of: end) else { return UInt8(CC_ERROR) }
    var text = PastedText.text(typed[..<range.lowerBound])
    typed.removeFirst(range.upperBound)
    guard !text.isEmpty else { return UInt8(CC_NORM) }
    while text.last == "\n" { text.removeLast() }
    ceditline_insert(editor, WideText.characters(text))
    return UInt8(CC_REFRESH)
  }
}

/// Text that was pasted, as the terminal sent it.
enum PastedText {
  /// Returns the text with Lua line breaks, and without characters that control the terminal.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      defer { isAfterReturn = scalar == "\r" }
      if scalar == "\r" || scalar == "\n" && !isAfterReturn {
        text.append("\n")
      } else if scalar == "\t" || scalar.value >= 32 && !(127..<160).contains(scalar.value) {
        text.append(scalar)
      }
    }
    return String(text)
  }
}
