import CLullBridge
import LullLibC
import LullCore
import LullSystem

/// The progress bars of a script on a terminal, in the order in which they began. The output of the
/// script appears above them.
///
/// No bars are shown if standard error is not a terminal. No bars are shown while a session is open
/// either, because they would overwrite the line of its prompt. Home thread only.
///
/// Behaviours: PROG-01 to PROG-07.
final class ProgressBars {
  /// The interval between two updates, and the minimum interval between two drawings, in seconds.
  private static let interval = 0.1
  /// The maximum number of bars shown at once.
  private static let most = 16

  private unowned let session: SessionKeeper
  private let pump: Pump
  private var shown: [ScriptProgress.Bar] = []
  private var timer: (any HostTimer)?
  private var nextDrawing = 0.0

  init(_ session: SessionKeeper, _ pump: Pump) {
    self.session = session
    self.pump = pump
  }

  /// Creates a progress bar with the count 0.
  ///
  /// - Parameter total: the total amount; nil if it is unknown.
  func begin(total: Double?, label: String) -> ScriptProgress {
    let bar = ScriptProgress.Bar(total: total, label: label, began: pump.clock.uptime)
    if StatusLines.areSeen, !session.isTaken { add(bar) }
    return ScriptProgress(bar, self)
  }

  /// Shows the progress of a download until its request has ended. (DWN-120)
  func show(_ request: Request, _ label: String) {
    guard StatusLines.areSeen, !session.isTaken, !request.isCompleted else { return }
    let bar = ScriptProgress.Bar(total: nil, label: label, began: pump.clock.uptime)
    bar.countsBytes = true
    // `unowned(unsafe)` is sufficient, because the request removes the bar when it ends.
    bar.look = { [unowned(unsafe) request, unowned bar] in
      guard let metrics = (request.lastPart as? NetworkRequest)?.transfer?.transferMetrics else {
        return
      }
      bar.count = Double(metrics.responseBytesReceived)
      bar.total = metrics.responseBytesTotal.map(Double.init)
    }
    add(bar)
    request.onCompletion { [weak self] response in
      bar.look = nil
      guard let self, isShown(bar) else { return }
      guard let path = response.entity?.content.plainBytes else { return remove(bar) }
      // The count is set to the final size of the file, because the last update was before the end
      // of the download.
      if let file = try? ReadableFile(path) { bar.count = Double(file.stamp.size) }
      bar.total = nil
      finish(bar)
    }
  }

  /// Reads the label of a bar from an option. The value true means an empty label. Returns nil for
  /// the value false.
  static func label(_ value: lull_value) throws(Misuse) -> String? {
    switch Int(value.kind) {
    case Int(LULL_BOOLEAN): return value.integer != 0 ? "" : nil
    case Int(LULL_STRING): return value.string ?? ""
    default:
      throw .message("'progress' must be true, false or a label, got \(value.described)")
    }
  }

  /// Removes the bars from the terminal. Called when the state is closing.
  func close() {
    for bar in shown { remove(bar) }
  }

  // MARK: Showing

  private func add(_ bar: ScriptProgress.Bar) {
    if shown.isEmpty {
      lull_output_hold { StatusLines.clear() }
      StatusLines.hold { lull_output_flush() }
      waitForNextLook()
    }
    shown.append(bar)
    nextDrawing = 0
  }

  /// Draws the bars again after a bar has changed, unless they were drawn just before.
  func update(_ bar: ScriptProgress.Bar) {
    let now = pump.clock.uptime
    guard isShown(bar), now >= nextDrawing else { return }
    draw(now)
  }

  func isShown(_ bar: ScriptProgress.Bar) -> Bool { shown.contains { $0 === bar } }

  func remove(_ bar: ScriptProgress.Bar) {
    guard let index = shown.firstIndex(where: { $0 === bar }) else { return }
    shown.remove(at: index)
    guard shown.isEmpty else { return draw(pump.clock.uptime) }
    timer?.cancel()
    timer = nil
    StatusLines.clear()
    StatusLines.hold(flushing: nil)
    lull_output_release()
  }

  /// Removes a bar and writes its closing line in place of the bar.
  func finish(_ bar: ScriptProgress.Bar) {
    remove(bar)
    StandardError.write(bar.closingLine(pump.clock.uptime))
  }

  private func waitForNextLook() {
    timer = pump.clock.schedule(after: ProgressBars.interval) { [weak self] in
      guard let self, timer != nil else { return }
      draw(pump.clock.uptime)
      waitForNextLook()
    }
  }

  private func draw(_ now: Double) {
    nextDrawing = now + ProgressBars.interval
    // Output that was printed in the meantime appears above the bars, so they are removed first.
    if lull_output_has_held() != 0 { StatusLines.clear() }
    // If the last line of output is not complete, the bars can't be drawn.
    guard lull_output_is_inside_line() == 0 else { return }
    let size = TerminalSize(of: STDERR_FILENO)
    let columns = size?.columns ?? 80
    for bar in shown { bar.look?() }
    let rows = min(ProgressBars.most, max(1, (size?.rows ?? 24) - 1))
    var lines = shown.prefix(rows).map { $0.line(now, columns: columns) }
    if shown.count > rows { lines[rows - 1] = "… and \(shown.count - rows + 1) more" }
    StatusLines.show(Array(lines))
  }
}

extension Content {
  /// The bytes of text or binary content. For a download, the bytes of the name of its file.
  /// Otherwise nil.
  fileprivate var plainBytes: [UInt8]? {
    switch self {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    default: nil
    }
  }
}
