import LullCore
package import LullTransport

/// A recording in progress: its entries so far, including credentials.
///
/// The data stays in the memory of one process; everything that leaves it is redacted.
package struct CassetteRecorder {
  /// The path of the future file.
  package let path: [UInt8]
  /// The entries in the order in which they were sent.
  package private(set) var entries: [HAREntry]
  /// The redaction by which requests are compared.
  package private(set) var redaction = Redaction()
  /// The program's own credentials, such as tokens that it was given. Tokens that a recorded
  /// response has issued have a stand-in instead.
  private var issued: [(text: [UInt8], mask: String)] = []
  /// The texts of known secrets, by their masks.
  package private(set) var secrets: [String: [UInt8]] = [:]
  /// The redaction including the program's own credentials; nil when it is outdated. It is used
  /// often and seldom changes.
  private var hiding: Redaction?
  /// How many of the entries are new.
  package private(set) var newCount = 0

  /// - Parameters:
  ///   - entries: The existing entries.
  ///   - others: Entries that may be in the same file in the end, so that stand-ins must differ
  ///     from theirs.
  package init(_ path: [UInt8], _ entries: [HAREntry], beside others: [HAREntry] = []) {
    self.path = path
    self.entries = entries
    redaction.passStandIns(of: others)
    _ = redaction.redacted(entries)
  }

  /// Adds the entries that a test has recorded.
  package mutating func add(_ recorded: [HAREntry]) {
    add(recorded.map { ($0, nil) })
  }

  /// Adds entries, each before an existing one; nil appends.
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

  // MARK: Redacted views

  /// Hides the credentials of an exchange that is not part of the recording yet.
  package mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    let count = redaction.hiddenCount
    redaction.learn(from: entry, isPart: isPart)
    if redaction.hiddenCount != count { hiding = nil }
  }

  /// Returns an exchange as its recording will contain it, as far as known.
  package mutating func hidden(_ entry: HAREntry) -> HAREntry { current().hidden(entry) }

  /// Returns a response, or a part of one, as its recording will contain it.
  package mutating func hidden(_ response: HARResponse) -> HARResponse {
    current().hidden(response)
  }

  /// Returns a text without the credentials that are hidden so far.
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

  /// Hides the values of these names too. Names are in lower case.
  package mutating func hide(named names: Set<String>) { redaction.names.formUnion(names) }

  /// The number of credentials that were seen before any name identified them.
  package var lateCount: Int { redaction.late.count }

  /// Returns messages about those credentials, without the first `count`, which were reported
  /// before.
  ///
  /// - Parameter recorded: Entries that are not part of the recording yet.
  package func lateCredentials(after count: Int, beside recorded: [HAREntry]) -> [String] {
    redaction.late.dropFirst(count).compactMap { text in
      LateCredential(
        text, shownAs: redaction.texts[text] ?? CredentialMask.mark, in: entries + recorded)?
        .description
    }
  }

  // MARK: Stand-ins

  /// The highest number of a stand-in so far.
  package var standInCount: Int { redaction.count }

  /// Makes new stand-ins have higher numbers.
  package mutating func passStandIn(_ number: Int) { redaction.pass(number) }

  /// Returns the token of a stand-in, as far as the recording knows it.
  package func meaning(ofStandIn number: Int) -> Redaction.Meaning {
    redaction.meaning(ofStandIn: number)
  }

  // MARK: Finished recording

  /// The redacted entries, and the redaction for other texts.
  package var finished: (entries: [HAREntry], redaction: Redaction) {
    var redaction = redaction
    let entries = redaction.redacted(entries, hiding: issued)
    return (entries, redaction)
  }
}
