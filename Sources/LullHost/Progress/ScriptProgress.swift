import LullCore

/// The result of `lull.progress`: a progress bar that belongs to the script. It disappears when the
/// script no longer references it.
///
/// Home thread only.
final class ScriptProgress {
  private let bar: Bar
  private weak var bars: ProgressBars?
  private var isOver = false

  init(_ bar: Bar, _ bars: ProgressBars) {
    self.bar = bar
    self.bars = bars
  }

  deinit { bars?.remove(bar) }

  var total: Double? { bar.total }
  var count: Double { bar.count }
  var text: String { bar.amount }

  var label: String {
    get { bar.label }
    set {
      bar.label = newValue
      if !isOver { bars?.update(bar) }
    }
  }

  func advance(by count: Double) { set(bar.count + count) }

  /// Sets the count. A negative number counts as 0.
  func set(_ count: Double) {
    guard !isOver else { return }
    bar.count = max(0, min(count, Bar.largest))
    bars?.update(bar)
  }

  /// Removes the bar and leaves a closing line in its place.
  func finish() {
    guard !isOver, let bars else { return }
    isOver = true
    guard bars.isShown(bar) else { return }
    bars.finish(bar)
  }

  /// Removes the bar without a closing line.
  func drop() {
    isOver = true
    bars?.remove(bar)
  }
}
