import LullCore
import LullLibC
import LullSystem

/// What is told of an error: what happened, where in the script, in which of its functions, for which
/// request, and what called what.
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
  /// As it was raised; with its position if it has one.
  var message: String
  var excerpts: [Excerpt] = []
  /// What called the function that failed; nil for the main chunk.
  var place: String?
  var request: RequestFacts?
  /// What was raised, if it is neither text nor says what it is.
  var value: String?
  /// What is known of the content that was nil, if that is what went wrong.
  var nilContent: String?
  /// What is behind the message, if that does not say it.
  var cause: String?
  /// "" if there is none.
  var traceback = ""

  func text(_ style: ReportStyle) -> String {
    var text = heading(style)
    let gutter = excerpts.map { String($0.number).count }.max() ?? 0
    for excerpt in excerpts { text += excerpt.text(gutter: gutter, style: style) }
    text += facts
    if !traceback.isEmpty { text += style.dim(traceback) + "\n" }
    return text
  }

  /// Without source and traceback, for one that differs from an earlier report in little else.
  func shortText(_ style: ReportStyle) -> String { heading(style) + facts }

  private func heading(_ style: ReportStyle) -> String {
    style.error("lull:") + " " + style.strong(Report.visible(message)) + "\n"
  }

  /// With control characters as Lua writes them.
  private static func visible(_ text: String) -> String {
    ControlCharacters.shown(in: text)
  }

  private var facts: String {
    var text = ""
    if let nilContent { text += "  content: \(Report.visible(nilContent))\n" }
    if let value { text += "  value: \(Report.visible(value))\n" }
    if var place {
      // Named on the next line.
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

/// Colours of reports, where there is somebody to see them.
struct ReportStyle {
  let isColoured: Bool

  static let plain = ReportStyle(isColoured: false)

  /// On a terminal, unless `NO_COLOR` is set to anything, or the terminal knows no colours.
  static func forStandardError() -> ReportStyle {
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    return ReportStyle(
      isColoured: StandardTerminals.showsErrors && !isRefused && terminal != "dumb")
  }

  func error(_ text: String) -> String { coloured(text, "1;31") }
  func strong(_ text: String) -> String { coloured(text, "1") }
  func dim(_ text: String) -> String { coloured(text, "2") }

  private func coloured(_ text: String, _ code: String) -> String {
    isColoured ? TerminalText.painted(text, code) : text
  }
}
