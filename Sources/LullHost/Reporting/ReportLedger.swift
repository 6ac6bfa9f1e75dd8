/// Which errors have been reported how often, so that one that comes ten thousand times is told of
/// loudly, and once.
///
/// The first report of an error is shown in full; those of the same error in another place, or for
/// another request, in short, as far as there are few; the others are counted, and the count is told
/// every now and then and at the end.
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
  /// Seconds after which a count is told of while it grows.
  static let interval = 10.0
  private static let capacity = 200

  private var entries: [Key: Entry] = [:]
  private var nextOrder = 0

  /// What to do with a report, and counts to tell of before it.
  mutating func record(_ report: Report, at now: Double) -> (verdict: Verdict, due: [String]) {
    let key = Key(message: report.message, traceback: report.traceback)
    let variant = [report.place, report.request?.text, report.cause, report.value].compactMap(
      \.self
    )
    .joined(separator: "\n")
    guard var entry = entries.removeValue(forKey: key) else {
      // A script that makes up a new message each time is shown each of them.
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

  /// The counts not told of yet, oldest errors first; everything is forgotten.
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

  /// 9,999
  private static func grouped(_ count: Int) -> String {
    var text = ""
    for (position, digit) in String(count).reversed().enumerated() {
      if position > 0, position.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
