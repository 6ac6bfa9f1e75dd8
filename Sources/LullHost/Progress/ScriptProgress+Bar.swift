import LullCore
import LullSystem

extension ScriptProgress {
  /// The state of a progress bar and its appearance.
  final class Bar {
    /// The largest count for which all integers up to it are represented exactly.
    static let largest = 9e15
    private static let width = 30
    /// The maximum share of the line's width that the label may use.
    private static let labelShare = 0.5

    var total: Double?
    /// Whether the amount is a number of bytes.
    var countsBytes = false
    /// Updates the count and the total before the bar is drawn.
    var look: (() -> Void)?
    var label: String
    var count = 0.0
    private let began: Double
    private var rate = TransferRate()

    init(total: Double?, label: String, began: Double) {
      self.total = total
      self.label = label
      self.began = began
    }

    /// The amount as text, such as `40 of 100`.
    var amount: String { text(count) + (total.map { " of \(text($0))" } ?? "") }

    /// Returns the bar as a line that fits a terminal with that many columns.
    func line(_ now: Double, columns: Int) -> String {
      rate.note(Int(count), at: now)
      let room = max(1, columns - 1)
      let label = TextWidth.cut(shownLabel, to: Int(Double(room) * Bar.labelShare))
      let start = label.isEmpty ? "" : label + " "
      guard let total else {
        let speed = rate.perSecond.map { ", \(text(($0 * 10).rounded() / 10))/s" } ?? ""
        return TextWidth.cut(start + amount + speed, to: room)
      }
      let fraction = total > 0 ? min(count / total, 1) : 1
      let left = rate.remaining(of: Int(min(total, Bar.largest))).flatMap { TransferRate.text($0) }
      let rest =
        " \(Int(fraction * 100)) % \(amount)"
        + (left.map { fraction < 1 ? ", \($0) left" : "" } ?? "")
      let width = min(Bar.width, room - TextWidth.of(start + rest))
      guard width >= 3 else { return TextWidth.cut(start + rest.dropFirst(), to: room) }
      let filled = Int(Double(width) * fraction)
      return start + String(repeating: "█", count: filled)
        + String(repeating: "░", count: width - filled) + rest
    }

    /// Returns the closing line, such as `reading: 100 of 100 in 3.2 s`.
    func closingLine(_ now: Double) -> String {
      let tenths = Int(((now - began) * 10).rounded())
      let label = shownLabel
      return (label.isEmpty ? "" : label + ": ") + "\(amount) in \(tenths / 10).\(tenths % 10) s\n"
    }

    /// The label on one line, with control characters escaped.
    private var shownLabel: String {
      ControlCharacters.shown(
        in: label.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }

    private func text(_ number: Double) -> String {
      countsBytes ? ByteCount.text(Int(number)) : Bar.text(number)
    }

    private static func text(_ number: Double) -> String {
      if let whole = Int(exactly: number) { return "\(whole)" }
      let hundredths = (number * 100).rounded() / 100
      return abs(hundredths) < largest ? "\(hundredths)" : "\(number)"
    }
  }
}
