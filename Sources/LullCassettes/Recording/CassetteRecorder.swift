import LullCore
package import LullTransport

/// A recording in progress: its entries so far, including their credentials.
///
/// The unredacted data stays in the memory of one process. All data that leaves the process is
/// redacted.
package struct CassetteRecorder {
  /// The path of the file that the recording will be written to.
  package let path: [UInt8]
  /// The entries, in the order in which the requests were sent.
  package private(set) var entries: [HAREntry]
  /// The redaction of requests before they are compared.
  package private(set) var redaction = Redaction()
  /// Credentials that the program itself was given, such as tokens, with their masks. A token that
  /// a recorded response has issued is not listed here: it has a stand-in.
  private var issued: [(text: [UInt8], mask: String)] = []
  /// The texts of the known secrets. The key is the secret's mask.
  package private(set) var secrets: [String: [UInt8]] = [:]
  /// The redaction that also covers the program's own credentials. It is used often and seldom
  /// changes, so it is cached. nil if it must be created again.
  private var hiding: Redaction?
  /// The number of entries that have been added to the existing ones.
  package private(set) var newCount = 0

  /// - Parameters:
  ///   - entries: The existing entries.
  ///   - others: Entries that may end up in the same file. New stand-ins must differ from theirs.
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

  /// Inserts entries, each before the existing entry with an index. If the index is nil, the entry
  /// is appended.
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

  /// From now on, hides the credentials in an exchange that is not part of the recording yet.
  ///
  /// - Parameter isPart: Whether the response is incomplete so far.
  package mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    let count = redaction.hiddenCount
    redaction.learn(from: entry, isPart: isPart)
    if redaction.hiddenCount != count { hiding = nil }
  }

  /// Returns an exchange as the recording will contain it, with the credentials hidden that are
  /// known so far.
  package mutating func hidden(_ entry: HAREntry) -> HAREntry { current().hidden(entry) }

  /// Returns a response, or a part of one, as the recording will contain it.
  package mutating func hidden(_ response: HARResponse) -> HARResponse {
    current().hidden(response)
  }

  /// Returns a text without the credentials that are known so far.
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

  /// From now on, hides the text of a secret.
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

  /// From now on, hides the values of these names too. The names are in lower case.
  package mutating func hide(named names: Set<String>) { redaction.names.formUnion(names) }

  /// The number of late credentials: those that a response contained before any name identified
  /// them.
  package var lateCount: Int { redaction.late.count }

  /// Returns messages about the late credentials, which a response contained before any name
  /// identified them.
  ///
  /// - Parameters:
  ///   - count: The number of credentials that have been reported already.
  ///   - recorded: Entries that are not part of the recording yet.
  package func lateCredentials(after count: Int, beside recorded: [HAREntry]) -> [String] {
    redaction.late.dropFirst(count).compactMap { text in
      LateCredential(
        text, shownAs: redaction.texts[text] ?? CredentialMask.mark, in: entries + recorded)?
        .description
    }
  }

  // MARK: Stand-ins

  /// The highest number that any stand-in has so far.
  package var standInCount: Int { redaction.count }

  /// Gives new stand-ins higher numbers than this one.
  package mutating func passStandIn(_ number: Int) { redaction.pass(number) }

  /// Returns the token that a stand-in represents, if the recording knows it.
  package func meaning(ofStandIn number: Int) -> Redaction.Meaning {
    redaction.meaning(ofStandIn: number)
  }

  // MARK: Finished recording

  /// The redacted entries, and the redaction to apply to other texts.
  package var finished: (entries: [HAREntry], redaction: Redaction) {
    var redaction = redaction
    let entries = redaction.redacted(entries, hiding: issued)
    return (entries, redaction)
  }
}
