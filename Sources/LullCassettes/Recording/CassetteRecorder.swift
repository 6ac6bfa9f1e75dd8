import LullCore
package import LullTransport

/// A recording in progress: the entries recorded so far, with their credentials.
///
/// The unredacted entries stay in the memory of one process. All data that leaves the process is
/// redacted.
package struct CassetteRecorder {
  /// The path of the file to which the recording will be written.
  package let path: [UInt8]
  /// The entries, in the order in which the requests were sent.
  package private(set) var entries: [HAREntry]
  /// The redaction that is applied to requests before they are compared.
  package private(set) var redaction = Redaction()
  /// Credentials that were given to the program itself, such as tokens, with their masks. Tokens
  /// issued by a recorded response are not included, because they are replaced by stand-ins.
  private var issued: [(text: [UInt8], mask: String)] = []
  /// The texts of the known secrets, by the mask of the secret.
  package private(set) var secrets: [String: [UInt8]] = [:]
  /// A redaction that also covers the program's own credentials. It is cached, because it is used
  /// often and rarely changes; nil if it must be created again.
  private var hiding: Redaction?
  /// The number of entries that have been added to the existing ones.
  package private(set) var newCount = 0

  /// Makes a recorder.
  ///
  /// - Parameters:
  ///   - path: The path of the file to which the recording will be written.
  ///   - entries: The existing entries of the recording.
  ///   - others: Entries that may later be written to the same file. New stand-ins must differ from
  ///     the stand-ins in these entries.
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

  /// Inserts entries. Each entry is inserted before the existing entry with the index `before`. If
  /// `before` is nil, the entry is appended.
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

  /// Collects the credentials of an exchange that is not yet in the recording. From now on, these
  /// credentials are hidden.
  ///
  /// - Parameter isPart: Whether only the first part of the response has arrived.
  package mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    let count = redaction.hiddenCount
    redaction.learn(from: entry, isPart: isPart)
    if redaction.hiddenCount != count { hiding = nil }
  }

  /// Returns an exchange in the form in which it will be recorded. The credentials known so far are
  /// hidden.
  package mutating func hidden(_ entry: HAREntry) -> HAREntry { current().hidden(entry) }

  /// Returns a response, or a part of a response, in the form in which it will be recorded.
  package mutating func hidden(_ response: HARResponse) -> HARResponse {
    current().hidden(response)
  }

  /// Returns a text with the credentials known so far hidden.
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

  /// From now on, hides the text of this secret.
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

  /// From now on, also hides values with these names. The names must be in lower case.
  package mutating func hide(named names: Set<String>) { redaction.names.formUnion(names) }

  /// The number of late credentials. A late credential was in a response before any name identified
  /// it as a credential.
  package var lateCount: Int { redaction.late.count }

  /// Returns messages about the late credentials. A late credential was in a response before any
  /// name identified it as a credential.
  ///
  /// - Parameters:
  ///   - count: The number of late credentials that have already been reported.
  ///   - recorded: Entries that are not in the recording yet.
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

  /// Ensures that the numbers of new stand-ins are higher than `number`.
  package mutating func passStandIn(_ number: Int) { redaction.pass(number) }

  /// Returns the token that a stand-in replaces, if the recording knows the token.
  package func meaning(ofStandIn number: Int) -> Redaction.Meaning {
    redaction.meaning(ofStandIn: number)
  }

  // MARK: Finished recording

  /// The redacted entries, and the redaction to apply to other texts of the recording.
  package var finished: (entries: [HAREntry], redaction: Redaction) {
    var redaction = redaction
    let entries = redaction.redacted(entries, hiding: issued)
    return (entries, redaction)
  }
}
