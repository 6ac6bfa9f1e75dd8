import LullLibC
import LullCore
import LullHost
import LullSystem

/// The progress of a request, on one line of standard error. Shown only on a terminal.
///
/// A saved file is shown from its first byte. Anything else is shown after a delay: the upload, the
/// wait for a response, the download, the pages so far.
final class ProgressBar {
  /// The maximum width of the bar, in columns.
  private static let width = 30
  /// The minimum width of a bar with speed and time next to it, in columns.
  private static let shortest = 10
  private static let mark = 6
  /// The width in columns of the text next to the bar (`besides`) and, in addition, of the speed
  /// and time (`extras`).
  private static let (besides, extras) = (28, 24)
  /// The delay before the bar appears, except for a saved file (`patience`), and the interval
  /// between updates (`interval`). Both are in seconds.
  private static let (patience, interval) = (1.0, 0.25)

  private let isShown: Bool
  /// The name of the saved file. `nil` if the body is not saved.
  private let file: String?
  private let clock: any HostClock
  private let began: Double
  private var rate = TransferRate()
  /// Whether the current request has received any bytes.
  private var hasReceived = false
  private var timer: (any HostTimer)?
  private weak var request: Request?
  /// The number of pages and of rows so far. `nil` without paging.
  private var pages: (count: Int, rows: Int)?

  /// Shows no bar if the body is written to the terminal.
  init(_ options: CallOptions, _ clock: any HostClock) {
    let isInTheWay = options.file == "-" && isatty(STDOUT_FILENO) != 0
    isShown = StatusLines.areSeen && !isInTheWay
    file = options.file == "-" ? nil : options.file
    self.clock = clock
    began = clock.uptime
  }

  /// Tracks a request until it completes.
  func follow(_ request: Request) {
    guard isShown else { return }
    self.request = request
    hasReceived = false
    rate = TransferRate()
    request.onProgress { [weak self] _ in self?.update() }
    request.onCompletion { [self] in end($0) }
    wait()
  }

  /// Counts a page and its rows. From then on, the bar shows the numbers of pages and rows.
  func count(_ page: JSONText) {
    guard isShown else { return }
    pages = ((pages?.count ?? 0) + 1, (pages?.rows ?? 0) + page.count)
  }

  private var pageText: String? {
    pages.map { "\($0.count) \($0.count == 1 ? "page" : "pages"), \($0.rows) rows" }
  }

  /// Reports the size, time and speed of a saved file.
  func closeSaved(_ download: Download?) {
    guard isShown, file != nil, let path = download?.path, let name = download?.shownPath,
      let size = FileStamp.of(path.bytes)?.size, size > 0
    else { return }
    let seconds = clock.uptime - began
    StandardError.write(
      "lull: \(ByteCount.text(size)) in \(Self.text(seconds)), "
        + "\(ByteCount.text(Int(Double(size) / max(seconds, 0.001))))/s: \(name)\n")
  }

  /// Reports an upload if the bar was shown for it.
  private func closeUpload() {
    guard file == nil, let uploadSize else { return }
    StandardError.write(
      "lull: \(ByteCount.text(uploadSize)) sent in \(Self.text(clock.uptime - began))\n")
  }

  // MARK: Updates

  /// The size of an upload for which the bar was shown. `nil` if the bar was not shown.
  private var uploadSize: Int?

  private func wait() {
    timer = clock.schedule(after: ProgressBar.interval) { [weak self] in
      guard let self, timer != nil else { return }
      update()
      wait()
    }
  }

  private func end(_ response: Response) {
    timer?.cancel()
    timer = nil
    StatusLines.clear()
    if response.error?.cause == nil { closeUpload() }
  }

  private func update() {
    let metrics =
      (request?.lastPart as? NetworkRequest)?.transfer?.transferMetrics ?? RequestTransferMetrics()
    let lasted = clock.uptime - began
    // A completed transfer no longer has metrics.
    if metrics.responseBytesReceived == 0, hasReceived { return }
    hasReceived = metrics.responseBytesReceived > 0
    let isSending =
      metrics.responseBytesReceived == 0
      && (metrics.requestBytesTotal ?? 0) > metrics.requestBytesSent
    rate.note(isSending ? metrics.requestBytesSent : metrics.responseBytesReceived, at: lasted)
    guard file != nil && metrics.responseBytesReceived > 0 || lasted >= ProgressBar.patience else {
      return
    }
    if isSending { uploadSize = metrics.requestBytesTotal }
    StatusLines.show([
      isSending
        ? text(metrics.requestBytesSent, of: metrics.requestBytesTotal)
        : metrics.responseBytesReceived > 0
          ? text(metrics.responseBytesReceived, of: metrics.responseBytesTotal)
          : fitting((pageText.map { $0 + ", " } ?? "") + "waiting \(Int(lasted)) s …")
    ])
  }

  private func text(_ count: Int, of total: Int?) -> String {
    if let pageText { return fitting("\(pageText), \(ByteCount.text(count))") }
    let columns = TerminalWidth.columns(of: STDERR_FILENO) ?? 80
    // Speed and time take precedence over a long bar. A narrow terminal has no room for them.
    let words = ProgressBar.besides + ProgressBar.extras
    let room =
      columns - words >= ProgressBar.shortest ? columns - words : columns - ProgressBar.besides
    let width = min(ProgressBar.width, max(0, room))
    guard let total, total > 0 else {
      // If the size is unknown, move a marker as data arrives.
      let mark = min(ProgressBar.mark, width)
      let place = (count >> 16) % (width - mark + 1)
      return ProgressBar.bar(place..<(place + mark), of: width) + " \(ByteCount.text(count))"
        + extras(of: nil, fitting: columns - width)
    }
    let fraction = min(Double(count) / Double(total), 1)
    return ProgressBar.bar(0..<Int(Double(width) * fraction), of: width)
      + " \(Int(fraction * 100)) % \(ByteCount.text(count)) of \(ByteCount.text(total))"
      + extras(of: total, fitting: columns - width)
  }

  /// The speed and the remaining time, if they are known and fit into the line.
  private func extras(of total: Int?, fitting room: Int) -> String {
    guard room >= ProgressBar.besides + ProgressBar.extras, let speed = rate.perSecond else {
      return ""
    }
    let left = total.flatMap { rate.remaining(of: $0) }.flatMap { TransferRate.text($0) }
    return ", \(ByteCount.text(Int(speed)))/s" + (left.map { ", \($0) left" } ?? "")
  }

  private func fitting(_ text: String) -> String {
    String(text.prefix((TerminalWidth.columns(of: STDERR_FILENO) ?? 80) - 1))
  }

  private static func bar(_ filled: Range<Int>, of width: Int) -> String {
    String((0..<width).map { filled.contains($0) ? "█" : "░" })
  }

  private static func text(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    return seconds < 60
      ? "\(tenths / 10).\(tenths % 10) s" : TransferRate.text(seconds) ?? "\(Int(seconds)) s"
  }
}
