import LullCore
import LullLibC
import LullSystem

/// The report of an error: the message, the place in the script, the function, the request, and the
/// traceback.
///
///     lull: users.lua:12: attempt to index a nil value (field 'address')
///       12 |   print(user.address.city)
///          |              ^^^^^^^
///       in observer (users.lua:9) of /users/7
///       request: GET https://api.example.com/users/7 → 200, attempt 2, stage model
///     stack traceback:
///     	users.lua:12: in upvalue 'show'
///     	users.lua:9: in function <users.lua:8>
struct Report: Equatable {
  /// The message of the error. It begins with the position of the error if the raised message did.
  var message: String
  var excerpts: [Excerpt] = []
  /// The code that called the failed function, such as `observer of /users/7`; nil for the main
  /// chunk.
  var place: String?
  var request: RequestFacts?
  /// The raised value as text, if it is not a string and does not describe itself.
  var value: String?
  /// The explanation of the nil content that led to the error.
  var nilContent: String?
  /// The underlying cause of the error, if the message does not name it.
  var cause: String?
  /// The traceback; empty if there is none.
  var traceback = ""

  func text(_ style: ReportStyle) -> String {
    var text = heading(style)
    let gutter = excerpts.map { String($0.number).count }.max() ?? 0
    for excerpt in excerpts { text += excerpt.text(gutter: gutter, style: style) }
    text += facts
    if !traceback.isEmpty { text += style.dim(traceback) + "\n" }
    return text
  }

  /// Returns the report without source lines and traceback. This form is used for an error that
  /// differs little from an error reported earlier.
  func shortText(_ style: ReportStyle) -> String { heading(style) + facts }

  private func heading(_ style: ReportStyle) -> String {
    style.error("lull:") + " " + style.strong(Report.visible(message)) + "\n"
  }

  /// Returns a text with control characters escaped as in Lua.
  private static func visible(_ text: String) -> String {
    ControlCharacters.shown(in: text)
  }

  private var facts: String {
    var text = ""
    if let nilContent { text += "  content: \(Report.visible(nilContent))\n" }
    if let value { text += "  value: \(Report.visible(value))\n" }
    if var place {
      // The next line names the request, so its name is removed from the place.
      if let request, place.hasSuffix(" of " + request.name) {
        place.removeLast(" of ".count + request.name.count)
      }
      text += "  in \(place)\n"
    }
    if let request { text += "  request: \(request.text)\n" }
    if let cause { text += "  cause: \(Report.visible(cause))\n" }
    return text
  }
}

/// The colours of a report, which are used only on a terminal.
struct ReportStyle {
  let isColoured: Bool

  static let plain = ReportStyle(isColoured: false)

  /// Returns the style for reports on standard error. Colours are used on a terminal, unless
  /// `NO_COLOR` is set to a non-empty value or the terminal does not support colours.
  static func forStandardError() -> ReportStyle {
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    return ReportStyle(
      isColoured: StandardTerminals.showsErrors && !StandardError.isFormed && !isRefused
        && terminal != "dumb")
  }

  func error(_ text: String) -> String { coloured(text, "1;31") }
  func strong(_ text: String) -> String { coloured(text, "1") }
  func dim(_ text: String) -> String { coloured(text, "2") }

  private func coloured(_ text: String, _ code: String) -> String {
    isColoured ? TerminalText.painted(text, code) : text
  }
}
