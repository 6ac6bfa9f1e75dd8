import LullCassettes
import LullCore
import LullHost
import LullSystem
import LullTransport

/// A recording as one test uses it: from its beginning, whatever other tests have asked of it.
struct TestCassette {
  let name: String
  /// As it is shown.
  let path: String
  /// Names of those that count, in lower case and in order.
  let headers: [String]
  /// When the first of it was sent, in seconds since 1970; nil if it does not say.
  let started: Double?
  private var cassette: Cassette
  private var redaction = Redaction()
  /// Where what it has no answer for is written down; nil: nowhere.
  private var recorder: CassetteRecorder?
  /// What the test has recorded, by its place among what the cassette has noted; nil of what is under way.
  private var recorded: [HAREntry?] = []
  /// Before which of those that were there each belongs.
  private var places: [Int?] = []
  /// Whether an answer has `***` in it for something that nothing can be put in the place of again.
  private(set) var masksAnswers = false
  /// Names, in small letters and in order, of what is a credential besides.
  let hidden: [String]
  /// Of credentials that tests before have seen too early.
  private var lateCount = 0
  /// The services that have named it.
  private(set) var claims: Set<CassetteClaim> = []

  /// More in one file serves no test. Bytes.
  static let largest = 256 << 20

  /// Reads it, unless that was done.
  static func open(
    _ name: String, _ path: [UInt8], comparing headers: [String], hiding names: [String],
    _ cache: CassetteCache
  ) throws(CassetteSet.Problem) -> TestCassette {
    let bytes = try bytes(of: path)
    // No header has a line for its name.
    let key = headers + ["\n"] + names
    if let known = cache.cassette(of: path, key, bytes) { return known }
    let shown = String(escaping: path)
    let cassette = TestCassette(
      name, shown, try parse(bytes, shown).entries, comparing: headers, hiding: names)
    cache.keep(cassette, of: path, key, bytes)
    return cassette
  }

  /// One that what it has no answer for is written to.
  init(
    _ name: String, recording recorder: CassetteRecorder, comparing headers: [String],
    hiding names: [String]
  ) {
    var recorder = recorder
    recorder.hide(named: Set(names))
    self.init(
      name, String(escaping: recorder.path), recorder.entries, comparing: headers, hiding: names,
      recorder.redaction)
    lateCount = recorder.lateCount
    self.recorder = recorder
  }

  private init(
    _ name: String, _ path: String, _ known: [HAREntry], comparing headers: [String],
    hiding names: [String], _ redaction: Redaction = Redaction()
  ) {
    self.name = name
    self.path = path
    self.headers = headers
    hidden = names
    self.redaction = redaction
    self.redaction.names.formUnion(names)
    started = known.first { $0.started > 0 }?.started
    cassette = Cassette(known, redactingRequestsBy: &self.redaction, comparing: headers)
  }

  private static func bytes(of path: [UInt8]) throws(CassetteSet.Problem) -> [UInt8] {
    switch TextFile.read(path, limit: largest) {
    case .success(let bytes): return bytes
    case .failure(let problem):
      throw CassetteSet.Problem(
        text: "there is no recording to answer from: \(String(escaping: problem.message)); "
          + "lull test --record missing makes one",
        isOfFile: true)
    }
  }

  static func read(_ path: [UInt8]) throws(CassetteSet.Problem) -> HARFile {
    try parse(try bytes(of: path), String(escaping: path))
  }

  private static func parse(
    _ bytes: [UInt8], _ shown: String
  ) throws(CassetteSet.Problem) -> HARFile {
    let file: HARFile
    do throws(HARError) {
      file = try HARFile(reading: bytes)
    } catch {
      throw CassetteSet.Problem(text: "\(shown): \(error)", isOfFile: true)
    }
    for (number, entry) in file.entries.enumerated() {
      guard let kind = entry.failure?.kind, TransportError.Kind(rawValue: kind) == nil else {
        continue
      }
      let known = TransportError.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw CassetteSet.Problem(
        text: "\(shown): at /log/entries/\(number)/_failure/kind: '\(kind)' is none of \(known)",
        isOfFile: true)
    }
    return file
  }

  /// What was recorded, as it is in the file, or will be.
  mutating func answer(to request: HARRequest) throws(CassetteMiss) -> HAREntry {
    let entry = try cassette.answer(to: redaction.redacted(request))
    guard let shown = recorder?.hidden(entry) else { return entry }
    if CredentialMask.count(in: shown) > 0 { masksAnswers = true }
    return shown
  }

  /// A service that has named it is there.
  mutating func claim(_ claim: CassetteClaim) { claims.insert(claim) }

  // MARK: Recording

  var isRecording: Bool { recorder != nil }

  /// Notes a request that is asked in earnest; which one of these it is.
  mutating func note(_ request: HARRequest) -> Int {
    places.append(cassette.note(redaction.redacted(request)))
    recorded.append(nil)
    return recorded.count - 1
  }

  /// What came of it; nil: nothing to be written down.
  ///
  /// - Returns: the same as the recording will have it.
  mutating func end(_ number: Int, with entry: HAREntry?) -> HAREntry? {
    guard recorded.indices.contains(number) else { return nil }
    recorded[number] = entry
    guard let entry else { return nil }
    learn(from: entry)
    let shown = recorder?.hidden(entry) ?? entry
    if CredentialMask.count(in: shown) > CredentialMask.count(in: entry) { masksAnswers = true }
    return shown
  }

  /// The text of a secret that was told, by its mask.
  func secret(masked mask: String) -> [UInt8]? { recorder?.secrets[mask] }

  /// A part of an answer that is on its way, as the recording will have it.
  mutating func hidden(_ part: HARResponse, to request: HARRequest) -> HARResponse {
    learn(
      from: HAREntry(started: 0, milliseconds: 0, request: request, response: part), isPart: true)
    return recorder?.hidden(part) ?? part
  }

  private mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    redaction.learn(from: entry, isPart: isPart)
    recorder?.learn(from: entry, isPart: isPart)
  }

  /// A text without what the recording hides so far.
  mutating func hidden(_ text: String) -> String { recorder?.hidden(text) ?? text }

  /// The highest number of a stand-in so far.
  var standInCount: Int { recorder?.standInCount ?? 0 }

  mutating func passStandIn(_ number: Int) { recorder?.passStandIn(number) }

  func meaning(ofStandIn number: Int) -> Redaction.Meaning {
    recorder?.meaning(ofStandIn: number) ?? .none
  }

  mutating func hide(_ told: ToldSecret) {
    recorder?.hide(told)
    if !told.isLiteral { redaction.hide(told.text, as: told.mask) }
  }

  /// What the test has seen as it is, and would not see so again.
  var lateCredentials: [String] {
    recorder?.lateCredentials(after: lateCount, beside: recorded.compactMap(\.self)) ?? []
  }

  /// With what the test has recorded; nil if that is nothing.
  var filledRecorder: CassetteRecorder? {
    let entries = zip(recorded, places).compactMap { entry, place in
      entry.map { (entry: $0, before: place) }
    }
    guard var recorder, !entries.isEmpty else { return nil }
    recorder.add(entries)
    return recorder
  }

  /// What the test has asked for of it.
  var use: CassetteUse {
    CassetteUse(
      path: path, count: cassette.entries.count,
      // While it is recorded it is not known what will be asked for.
      left: isRecording ? [] : cassette.unplayedNumbers)
  }
}

/// What tests have recorded into one file, until it is put there.
struct RecordedCassette: Codable {
  /// Of the file that it will be.
  var path: String
  /// Where it is now.
  var draft: String
  /// Of the file as it was when it was read; nil: there was none.
  var before: FileStamp?
  /// How many exchanges it has, and how many of them are new.
  var count: Int
  var newCount: Int
  /// What may be a token that nobody has named, each with its place.
  var leftovers: [String]
}

/// What of the requests of tests is asked in earnest, and written to their recordings.
package enum RecordingMode: String, Sendable, CaseIterable {
  /// Nothing.
  case none
  /// What has not been recorded.
  case missing
  /// All of it.
  case all
}
