/// Counts how often each error has been reported, so that a repeated error is shown in full only
/// once.
///
/// The first report of an error is shown in full. Reports of the same error in another place or for
/// another request are shown in short form, up to a limit. Further reports are only counted, and
/// the count is printed periodically and at the end.
struct ReportLedger {
  enum Verdict: Equatable {
    case full
    case short
    case counted
  }

  private struct Key: Hashable {
    let message: String
    let traceback: String
  }

  private struct Entry {
    var short: Set<String> = []
    var unheard = 0
    var lastHeard: Double
    let order: Int
  }

  static let mostShort = 5
  /// The minimum number of seconds between two printings of the count of one error.
  static let interval = 10.0
  private static let capacity = 200

  private var entries: [Key: Entry] = [:]
  private var nextOrder = 0

  /// Returns how much of a report is shown, and the lines with counts that must be printed before
  /// the report.
  mutating func record(_ report: Report, at now: Double) -> (verdict: Verdict, due: [String]) {
    let key = Key(message: report.message, traceback: report.traceback)
    let variant = [report.place, report.request?.text, report.cause, report.value].compactMap(
      \.self
    )
    .joined(separator: "\n")
    guard var entry = entries.removeValue(forKey: key) else {
      // If a script generates a new message each time, each report is shown in full.
      let due = entries.count >= ReportLedger.capacity ? flush() : []
      nextOrder += 1
      entries[key] = Entry(short: [variant], lastHeard: now, order: nextOrder)
      return (.full, due)
    }
    defer { entries[key] = entry }
    if entry.short.count <= ReportLedger.mostShort, entry.short.insert(variant).inserted {
      return (.short, [])
    }
    entry.unheard += 1
    guard now - entry.lastHeard >= ReportLedger.interval else { return (.counted, []) }
    let text = ReportLedger.summary(key.message, entry.unheard)
    entry.unheard = 0
    entry.lastHeard = now
    return (.counted, [text])
  }

  /// Returns the lines with counts that have not been printed yet, oldest errors first. Removes all
  /// errors from the ledger.
  mutating func flush() -> [String] {
    let lines = entries.filter { $0.value.unheard > 0 }.sorted { $0.value.order < $1.value.order }
      .map { ReportLedger.summary($0.key.message, $0.value.unheard) }
    entries = [:]
    return lines
  }

  private static func summary(_ message: String, _ count: Int) -> String {
    let line = message.prefix { $0 != "\n" }
    return "… and \(grouped(count)) \(count == 1 ? "time" : "times") more: \(line)"
  }

  /// Returns a number as text with thousands separators, such as `9,999`.
  private static func grouped(_ count: Int) -> String {
    var text = ""
    for (position, digit) in String(count).reversed().enumerated() {
      if position > 0, position.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
