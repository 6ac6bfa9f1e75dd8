import LullCore
package import LullTransport

/// A recording that is being made: what is in it so far, with whatever lets somebody in.
///
/// It is in the memory of one process alone; what leaves it is redacted.
package struct CassetteRecorder {
  /// Of the file that it will be.
  package let path: [UInt8]
  /// In the order in which they were sent.
  package private(set) var entries: [HAREntry]
  /// What requests are compared by.
  package private(set) var redaction = Redaction()
  /// Texts of the program's own, such as tokens that it was given. What a recording has given out has a
  /// stand-in instead.
  private var issued: [(text: [UInt8], mask: String)] = []
  /// The texts of secrets that were told, by their masks.
  package private(set) var secrets: [String: [UInt8]] = [:]
  /// With what is issued as well; nil once there is more. A text is hidden often, and something new is rare.
  private var hiding: Redaction?
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
    for (entry, _) in recorded { learn(from: entry) }
  }

  // MARK: What is seen of it

  /// Hides what an exchange tells that is not in it yet.
  package mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    let count = redaction.hiddenCount
    redaction.learn(from: entry, isPart: isPart)
    if redaction.hiddenCount != count { hiding = nil }
  }

  /// An exchange as its recording will have it, as far as that is known.
  package mutating func hidden(_ entry: HAREntry) -> HAREntry { current().hidden(entry) }

  /// The same of a response, or of a part of one.
  package mutating func hidden(_ response: HARResponse) -> HARResponse {
    current().hidden(response)
  }

  /// Any text without what is hidden so far.
  package mutating func hidden(_ text: String) -> String {
    String(escaping: current().hidden(Array(text.utf8)))
  }

  private mutating func current() -> Redaction {
    if let hiding { return hiding }
    var made = redaction
    for (text, mask) in issued { made.hide(text, as: mask) }
    hiding = made
    return made
  }

  /// Hides a text from now on.
  package mutating func hide(_ told: ToldSecret) {
    if told.mask != CredentialMask.mark { secrets[told.mask] = told.text }
    if told.isLiteral {
      guard !issued.contains(where: { $0.text == told.text }) else { return }
      if redaction.noteLate(String(decoding: told.text, as: UTF8.self)) {
        redaction.replace(told.text)
      } else {
        issued.append((told.text, told.mask))
      }
    } else {
      guard !redaction.hides(told.text) else { return }
      redaction.hide(told.text, as: told.mask)
    }
    hiding = nil
  }

  /// Names, in small letters, of what is to be hidden besides.
  package mutating func hide(named names: Set<String>) { redaction.names.formUnion(names) }

  /// How many credentials had been seen before anything called them so.
  package var lateCount: Int { redaction.late.count }

  /// What is to be told of those, but for so many that were told of before.
  ///
  /// - Parameter recorded: what is not in it yet.
  package func lateCredentials(after count: Int, beside recorded: [HAREntry]) -> [String] {
    redaction.late.dropFirst(count).compactMap { text in
      LateCredential(
        text, shownAs: redaction.texts[text] ?? CredentialMask.mark, in: entries + recorded)?
        .description
    }
  }

  // MARK: Stand-ins

  /// The highest number of one so far.
  package var standInCount: Int { redaction.count }

  /// Those that are new have higher numbers.
  package mutating func passStandIn(_ number: Int) { redaction.pass(number) }

  /// What one stands for, as far as its recording knows.
  package func meaning(ofStandIn number: Int) -> Redaction.Meaning {
    redaction.meaning(ofStandIn: number)
  }

  // MARK: What is written of it

  /// As it may be seen by anybody, and what has hidden it, for other texts.
  package var finished: (entries: [HAREntry], redaction: Redaction) {
    var redaction = redaction
    let entries = redaction.redacted(entries, hiding: issued)
    return (entries, redaction)
  }
}
