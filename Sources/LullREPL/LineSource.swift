/// Where the lines of a session come from.
protocol LineSource: AnyObject {
  /// Whether a person types them.
  var isInteractive: Bool { get }
  /// The next line without its end, while the loop turns; nil at the end, or when the session is
  /// ended from outside.
  func next(isContinuation: Bool) -> LineInput
  /// A statement was complete.
  func remember(_ statement: [UInt8])
  /// Ctrl-C has come as a signal while no line runs.
  func abandon()
  func close()
}

enum LineInput {
  case line([UInt8])
  /// Ctrl-C: what was typed so far is to be forgotten.
  case abandoned
  case end
}
