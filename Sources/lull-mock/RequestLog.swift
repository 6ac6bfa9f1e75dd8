import LullCore
import LullSystem

/// A line on standard error for each request.
struct RequestLog {
  private let isQuiet: Bool

  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// - Parameters:
  ///   - target: what lets somebody in is masked in it.
  ///   - source: what has answered.
  ///   - seconds: since it was there in full.
  func note(
    _ method: String, _ target: String, status: Int?, source: String, seconds: Double
  ) {
    guard !isQuiet else { return }
    // Nobody knows who asks: what a terminal obeys is spelled out, in a file too.
    let shown = ControlCharacters.shown(in: LogText.part(CredentialMask.url(target), limit: 400))
    let method = ControlCharacters.shown(in: LogText.part(method, limit: 40))
    let outcome = status.map { String($0) } ?? "cut"
    let tenths = Int((seconds * 10_000).rounded())
    StandardError.write(
      "\(method) \(shown) \(outcome) \(source) \(tenths / 10).\(tenths % 10) ms\n"
    )
  }
}
