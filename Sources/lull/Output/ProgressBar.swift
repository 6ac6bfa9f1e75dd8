import Glibc
import LullCore
import LullSystem

/// How far a download is, on one line of standard error; shown only on a terminal.
final class ProgressBar {
  /// At most.
  private static let width = 30
  private static let mark = 6
  /// What the words beside the bar take.
  private static let besides = 28
  private let isShown: Bool
  private var shown = ""

  /// Where the body itself goes to the terminal there is none.
  init(_ options: CallOptions) {
    let isInTheWay = options.file == "-" && isatty(STDOUT_FILENO) != 0
    isShown = isatty(STDERR_FILENO) != 0 && !isInTheWay
  }

  /// Follows a request until it has completed.
  func follow(_ request: Request) {
    guard isShown else { return }
    request.onProgress { [self, weak request] _ in
      guard let transfer = (request?.lastPart as? NetworkRequest)?.transfer else { return }
      show(transfer.metrics)
    }
    request.onCompletion { [self] _ in clear() }
  }

  private func show(_ metrics: TransferMetrics) {
    guard metrics.received > 0 else { return }
    let width = ProgressBar.fittingWidth()
    let text: String
    if let total = metrics.toReceive, total > 0 {
      let fraction = min(Double(metrics.received) / Double(total), 1)
      text =
        ProgressBar.bar(0..<Int(Double(width) * fraction), of: width)
        + " \(Int(fraction * 100)) % \(ByteCount.text(metrics.received))"
        + " of \(ByteCount.text(total))"
    } else {
      // Of what has no known end a mark wanders with what has come.
      let mark = min(ProgressBar.mark, width)
      let place = (metrics.received >> 16) % (width - mark + 1)
      text =
        ProgressBar.bar(place..<(place + mark), of: width)
        + " \(ByteCount.text(metrics.received))"
    }
    guard text != shown else { return }
    shown = text
    StandardError.write(TerminalText.clearedLine + text)
  }

  private static func bar(_ filled: Range<Int>, of width: Int) -> String {
    String((0..<width).map { filled.contains($0) ? "█" : "░" })
  }

  /// So much that the line does not break, which could not be taken back.
  private static func fittingWidth() -> Int {
    guard let columns = TerminalWidth.columns(of: STDERR_FILENO) else { return width }
    return min(width, max(0, columns - besides))
  }

  private func clear() {
    guard !shown.isEmpty else { return }
    shown = ""
    StandardError.write(TerminalText.clearedLine)
  }
}
