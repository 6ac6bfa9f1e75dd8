import LullCore

/// What `lull.progress` has made: the script's hold of a bar, which goes when nobody has it any more.
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

  /// Less than nothing is nothing.
  func set(_ count: Double) {
    guard !isOver else { return }
    bar.count = max(0, min(count, Bar.largest))
    bars?.update(bar)
  }

  /// Takes it away, and leaves a line where it was shown.
  func finish() {
    guard !isOver, let bars else { return }
    isOver = true
    guard bars.isShown(bar) else { return }
    bars.finish(bar)
  }

  /// Takes it away without a word.
  func drop() {
    isOver = true
    bars?.remove(bar)
  }
}
