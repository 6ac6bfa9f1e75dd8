import Glibc
import LullCore

/// How far a download is, on one line of standard error; shown only on a terminal.
final class ProgressBar {
  private static let width = 30
  private let isShown: Bool
  private var shown = ""

  init() { isShown = isatty(STDERR_FILENO) != 0 }

  /// Follows a request until it has completed.
  func follow(_ request: Request) {
    guard isShown else { return }
    request.onProgress { [self, weak request] fraction in
      let metrics = (request?.lastPart as? NetworkRequest)?.transfer?.metrics
      show(fraction, metrics)
    }
    request.onCompletion { [self] _ in clear() }
  }

  private func show(_ fraction: Double, _ metrics: TransferMetrics?) {
    var fraction = fraction
    var line = ""
    if let metrics {
      if let total = metrics.toReceive, total > 0 {
        fraction = Double(metrics.received) / Double(total)
        line = " of " + ProgressBar.size(total)
      }
      line = ProgressBar.size(metrics.received) + line
    }
    let filled = Int(Double(ProgressBar.width) * min(max(fraction, 0), 1))
    let bar =
      String(repeating: "█", count: filled)
      + String(repeating: "░", count: ProgressBar.width - filled)
    let text = "\(bar) \(Int(fraction * 100)) % \(line)"
    guard text != shown else { return }
    shown = text
    StandardError.write("\r\u{1B}[K\(text)")
  }

  private func clear() {
    guard !shown.isEmpty else { return }
    shown = ""
    StandardError.write("\r\u{1B}[K")
  }

  private static func size(_ bytes: Int) -> String {
    for (unit, name) in [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")] where bytes >= unit {
      let tenths = (bytes * 10 + unit / 2) / unit
      return "\(tenths / 10).\(tenths % 10) \(name)"
    }
    return "\(bytes) B"
  }
}
