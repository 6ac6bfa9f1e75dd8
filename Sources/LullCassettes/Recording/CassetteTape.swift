import LullCore
package import LullTransport

/// A recording that is being made: what is in it so far, with whatever lets somebody in.
///
/// It is in the memory of one process alone; what leaves it is redacted.
package struct CassetteTape {
  /// Of the file that it will be.
  package let path: [UInt8]
  /// In the order in which they were sent.
  package private(set) var entries: [HAREntry]
  /// What requests are compared by.
  package private(set) var redaction = Redaction()
  /// Texts of the program's own, such as tokens that it was given. What a recording has given out has a
  /// stand-in instead.
  private var issued: [(text: [UInt8], mask: String)] = []
  /// How many of the entries were recorded now.
  package private(set) var newCount = 0

  /// - Parameters:
  ///   - entries: that are there already.
  ///   - others: that may be beside them in the end, so that stand-ins must be others.
  package init(_ path: [UInt8], _ entries: [HAREntry], beside others: [HAREntry] = []) {
    self.path = path
    self.entries = entries
    redaction.passStandIns(of: others)
    _ = redaction.redacted(entries)
  }

  /// Takes over what a test has recorded.
  package mutating func add(_ recorded: [HAREntry]) {
    add(recorded.map { ($0, nil) })
  }

  /// The same, each before one that is there already; nil: behind all of them.
  package mutating func add(_ recorded: [(entry: HAREntry, before: Int?)]) {
    var all: [HAREntry] = []
    for (place, entry) in entries.enumerated() {
      all += recorded.filter { $0.before == place }.map(\.entry)
      all.append(entry)
    }
    entries = all + recorded.filter { $0.before == nil }.map(\.entry)
    newCount += recorded.count
    for (entry, _) in recorded { redaction.learn(from: entry) }
  }

  /// Hides what an exchange tells that is not in it yet.
  package mutating func learn(from entry: HAREntry) { redaction.learn(from: entry) }

  /// Any text without what is hidden so far.
  package func hidden(_ text: String) -> String {
    var redaction = redaction
    for (text, mask) in issued { redaction.hide(text, as: mask) }
    return String(escaping: redaction.hidden(Array(text.utf8)))
  }

  /// Hides a text from now on.
  package mutating func hide(_ told: ToldSecret) {
    if told.isLiteral {
      if !issued.contains(where: { $0.text == told.text }) { issued.append((told.text, told.mask)) }
    } else {
      redaction.hide(told.text, as: told.mask)
    }
  }

  /// As it may be seen by anybody.
  package var redacted: [HAREntry] { finished.entries }

  /// The same, and what has hidden it, for other texts.
  var finished: (entries: [HAREntry], redaction: Redaction) {
    var redaction = redaction
    let entries = redaction.redacted(entries, hiding: issued)
    return (entries, redaction)
  }
}
