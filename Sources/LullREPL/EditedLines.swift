import CEditline
import Glibc
import LullHost
import LullTransport

/// Lines edited at a terminal through libedit, which asks for one character after the other: while it
/// waits for one the loop turns, and what is written meanwhile is shown above the line.
final class EditedLines: LineSource {
  private static let prompts = (first: "> ", more: ">> ")

  private let host: LuaHost
  private let terminal: Terminal
  private let captured: CapturedOutput
  private let watch: DescriptorWatch
  private let history: History
  private let completer: (_ text: String, _ statement: String) -> Completion
  private var editor: OpaquePointer?
  private var files: [UnsafeMutablePointer<FILE>] = []
  private var signals: [SignalWatch] = []
  private var prompt: [wchar_t] = []
  private var promptWidth = 0
  /// Bytes typed that libedit has not asked for.
  private var typed: [UInt8] = []
  private var isEditing = false
  private var isAbandoned = false
  private var isAtEnd = false
  /// The last line written above the edited one, if it has not ended.
  private var openLine: [UInt8] = []
  /// Lines of a statement that goes on.
  private var statement = ""

  let isInteractive = true

  /// Nil if the terminal cannot be edited on; `problem` says why, if there is anything to say.
  init?(
    _ host: LuaHost, _ terminal: Terminal, problem: inout String?,
    completer: @escaping (_ text: String, _ statement: String) -> Completion
  ) {
    guard Terminal.isCapable, let captured = CapturedOutput(),
      let watch = host.environment.watch(STDIN_FILENO)
    else { return nil }
    self.host = host
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
    // Closed before this object goes.
    owner.context = Unmanaged.passUnretained(self).toOpaque()
    owner.read = { context, character in
      guard let character else { return -1 }
      return EditedLines.at(context).read(character)
    }
    owner.prompt = { context in
      // The array stays as it is while libedit draws.
      EditedLines.at(context).prompt.withUnsafeBufferPointer { $0.baseAddress }
    }
    owner.complete = { context in EditedLines.at(context).complete() }
    var reason: UnsafePointer<CChar>?
    editor = ceditline_open("lull", input, output, &owner, &reason)
    guard editor != nil else {
      problem = reason.map { String(cString: $0) }
      close()
      return nil
    }
    for entry in history.load() { remember(entry) }
    for (number, action) in [(SIGWINCH, resized), (SIGCONT, continued)] {
      if let signal = host.environment.watchSignal(number, action) { signals.append(signal) }
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> EditedLines {
    // What `init` gave; `close` ends the editor before the object goes.
    Unmanaged<EditedLines>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }

  func close() {
    for signal in signals { signal.close() }
    signals = []
    watch.close()
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
    // A line the script has begun and not ended stays visible.
    if ceditline_is_line_open() != 0 {
      fflush(nil)
      terminal.write("\n")
    }
    isAbandoned = false
    openLine = []
    captured.begin()
    isEditing = true
    host.isAtPrompt = true
    // libedit shows its prompt first: what is typed in between would be the terminal's to interpret.
    ceditline_prepare(editor)
    var count: Int32 = 0
    let line = ceditline_read_line(editor, &count)
    isEditing = false
    host.isAtPrompt = false
    captured.end()
    defer { terminal.write(captured.take()[...]) }
    if isAbandoned {
      leaveLine("^C")
      return .abandoned
    }
    guard let line, count > 0 else {
      leaveLine("")
      return .end
    }
    let text = EditedLines.string(line, Int(count))
    statement += text
    return .line(Array((text.last?.isNewline == true ? text.dropLast() : text[...]).utf8))
  }

  func remember(_ statement: [UInt8]) {
    for line in statement.split(separator: 10) {
      let line = String(decoding: line, as: UTF8.self)
      guard line.contains(where: { !$0.isWhitespace }) else { continue }
      remember(line)
      history.append(line)
    }
  }

  private func remember(_ line: String) {
    guard let editor else { return }
    let characters = EditedLines.characters(line)
    ceditline_remember(editor, characters)
  }

  /// Ctrl-C, come as a signal.
  func abandon() { isAbandoned = true }

  private func setPrompt(_ text: String) {
    prompt = EditedLines.characters(text)
    promptWidth = text.count
  }

  // MARK: Characters

  /// The next character for libedit: 1, 0 at the end, -1 to leave the line.
  private func read(_ character: UnsafeMutablePointer<wchar_t>) -> Int32 {
    while true {
      guard !isAbandoned, !host.isInterrupted, !host.isSessionEnding else { return -1 }
      if let scalar = takeScalar() {
        character.pointee = wchar_t(bitPattern: scalar.value)
        return 1
      }
      if isAtEnd { return 0 }
      host.drive {
        watch.isReady || captured.hasOutput || isAbandoned || host.isInterrupted
          || host.isSessionEnding
      }
      showOutput()
      if watch.isReady { fill() }
    }
  }

  private func fill() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
    if count > 0 {
      typed += buffer[..<count]
    } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
      isAtEnd = true
    }
    watch.rearm()
  }

  /// Takes a whole UTF-8 sequence off what was typed; bytes that are none are dropped.
  private func takeScalar() -> Unicode.Scalar? {
    while let first = typed.first {
      let length =
        switch first {
        case 0x00..<0x80: 1
        case 0xC2..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0..<0xF5: 4
        default: 0
        }
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

  private static func characters(_ text: String) -> [wchar_t] {
    text.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]
  }

  private static func string(_ characters: UnsafePointer<wchar_t>, _ count: Int) -> String {
    var text = String.UnicodeScalarView()
    for index in 0..<count {
      if let scalar = Unicode.Scalar(UInt32(bitPattern: characters[index])) { text.append(scalar) }
    }
    return String(text)
  }

  // MARK: The screen

  /// Writes above the edited line what was written meanwhile, and draws the line again below it.
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

  /// Takes prompt and line off the screen; the cursor stands where they began.
  private func eraseLine() {
    let row = position(all: false) / terminal.width
    terminal.write((row > 0 ? "\u{1B}[\(row)A" : "") + "\r\u{1B}[J")
  }

  /// Leaves the edited line as it is, and goes to a new one below.
  private func leaveLine(_ mark: String) {
    let width = terminal.width
    let below = position(all: true) / width - position(all: false) / width
    terminal.write((below > 0 ? "\u{1B}[\(below)B" : "") + mark + "\n")
  }

  /// How many columns from the beginning of the prompt the cursor, or the end, is away.
  private func position(all: Bool) -> Int {
    guard let editor else { return 0 }
    var cursor = 0
    var length = 0
    guard let text = ceditline_text(editor, &cursor, &length) else { return promptWidth }
    var column = promptWidth
    for index in 0..<(all ? length : cursor) {
      column += width(text[index], at: column)
    }
    return column
  }

  private func width(_ character: wchar_t, at column: Int) -> Int {
    switch character {
    case 9: 8 - column % 8
    case 0..<32, 127: 2
    default: max(0, Int(ceditline_width(editor, character)))
    }
  }

  /// Rows a line without its end takes, escape sequences not counted.
  private func rows(of line: [UInt8]) -> Int {
    var column = 0
    var isEscape = false
    for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
      if isEscape {
        isEscape = !(("@"..."~").contains(scalar) && scalar != "[")
      } else if scalar == "\u{1B}" {
        isEscape = true
      } else if scalar == "\r" {
        column = 0
      } else if scalar.value >= 32 {
        column += width(wchar_t(bitPattern: scalar.value), at: column)
      }
    }
    return max(1, (column + terminal.width - 1) / terminal.width)
  }

  private func resized() {
    guard isEditing, let editor else { return }
    eraseLine()
    ceditline_resize(editor)
    ceditline_draw(editor)
  }

  /// Back from being stopped: somebody else has had the terminal.
  private func continued() {
    guard isEditing, let editor else { return }
    ceditline_prepare(editor)
    terminal.write("\r\u{1B}[J")
    ceditline_draw(editor)
  }

  // MARK: Completion

  private func complete() -> UInt8 {
    guard let editor else { return UInt8(CC_ERROR) }
    var cursor = 0
    var length = 0
    guard let text = ceditline_text(editor, &cursor, &length) else { return UInt8(CC_ERROR) }
    let completion = completer(EditedLines.string(text, cursor), statement)
    if !completion.insertion.isEmpty {
      ceditline_insert(editor, EditedLines.characters(completion.insertion))
      return UInt8(CC_REFRESH)
    }
    guard completion.candidates.count > 1 else { return UInt8(CC_ERROR) }
    eraseLine()
    terminal.write(Columns.text(completion.candidates, width: terminal.width))
    ceditline_draw(editor)
    return UInt8(CC_NORM)
  }
}
