import LullCore

/// What went over the wire, as `-v` shows it: a line for each line, without credentials.
struct WireText {
  private let style: OutputStyle
  /// What the last head of each direction said of the body that follows it.
  private var sentType = ""
  private var receivedType = ""

  init(_ style: OutputStyle) { self.style = style }

  mutating func lines(of event: WireObserver.Event) -> String {
    switch event {
    case .head(let isSent, let bytes):
      let head = WireHead(bytes)
      if isSent { sentType = head.contentType } else { receivedType = head.contentType }
      return head.text(mark: WireText.mark(isSent), style)
    case .body(let isSent, let bytes, let count):
      return WireBody(bytes, count: count, type: isSent ? sentType : receivedType)
        .text(mark: WireText.mark(isSent))
    }
  }

  private static func mark(_ isSent: Bool) -> String { isSent ? ">" : "<" }
}
