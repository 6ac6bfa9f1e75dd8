import LullCassettes
import LullCore
import LullHost
import LullSystem
import LullTransport

/// A recording as one test uses it. Each test starts at the beginning of the recording,
/// independently of other tests.
struct TestCassette {
  let name: String
  /// The path of the file as shown in messages.
  let path: String
  /// The names of the additional headers to compare, in lower case and sorted.
  let headers: [String]
  /// The time of the first recorded request in seconds since 1970. `nil` if it is unknown.
  let started: Double?
  private var cassette: Cassette
  private var redaction = Redaction()
  /// The recorder for requests without a recorded response. `nil` if nothing is recorded.
  private var recorder: CassetteRecorder?
  /// The exchanges that the test has recorded, in the order of the requests. `nil` for a request
  /// that is still in progress.
  private var recorded: [HAREntry?] = []
  /// For each exchange that the test has recorded, the index of the existing exchange that it must
  /// precede. `nil`: the exchange is appended.
  private var places: [Int?] = []
  /// Whether a recorded response contains `***` in place of a value that can't be restored.
  private(set) var masksAnswers = false
  /// The names of the additional credentials to hide, in lower case and sorted.
  let hidden: [String]
  /// The number of late credentials that were already reported for earlier tests.
  private var lateCount = 0
  /// The services that this recording is assigned to.
  private(set) var claims: Set<CassetteClaim> = []

  /// The maximum size of a file in bytes.
  static let largest = 256 << 20

  /// Opens a recording. The file is parsed unless the cache has it.
  static func open(
    _ name: String, _ path: [UInt8], comparing headers: [String], hiding names: [String],
    _ cache: CassetteCache
  ) throws(CassetteSet.Problem) -> TestCassette {
    let bytes = try bytes(of: path)
    // No header name contains a line break, so it separates the two lists.
    let key = headers + ["\n"] + names
    if let known = cache.cassette(of: path, key, bytes) { return known }
    let shown = String(escaping: path)
    let cassette = TestCassette(
      name, shown, try parse(bytes, shown).entries, comparing: headers, hiding: names)
    cache.keep(cassette, of: path, key, bytes)
    return cassette
  }

  /// Creates a recording to which requests without a recorded response are added.
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
        text: "there is no recording to replay: \(String(escaping: problem.message)); "
          + "make one with lull test --record missing",
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
        text: "\(shown): at /log/entries/\(number)/_failure/kind: '\(kind)' is not one of \(known)",
        isOfFile: true)
    }
    return file
  }

  /// Returns the recorded response to a request, with credentials hidden as in the final recording.
  mutating func answer(to request: HARRequest) throws(CassetteMiss) -> HAREntry {
    let entry = try cassette.answer(to: redaction.redacted(request))
    guard let shown = recorder?.hidden(entry) else { return entry }
    if CredentialMask.count(in: shown) > 0 { masksAnswers = true }
    return shown
  }

  /// Assigns the recording to a service.
  mutating func claim(_ claim: CassetteClaim) { claims.insert(claim) }

  // MARK: Recording

  var isRecording: Bool { recorder != nil }

  /// Adds a request that is sent to the network. Returns its number, to be passed to `end` when the
  /// request is complete.
  mutating func note(_ request: HARRequest) -> Int {
    places.append(cassette.note(redaction.redacted(request)))
    recorded.append(nil)
    return recorded.count - 1
  }

  /// Completes a request with its recorded entry. If the entry is `nil`, the request is not
  /// recorded.
  ///
  /// - Returns: The exchange in the form that the recording will have.
  mutating func end(_ number: Int, with entry: HAREntry?) -> HAREntry? {
    guard recorded.indices.contains(number) else { return nil }
    recorded[number] = entry
    guard let entry else { return nil }
    learn(from: entry)
    let shown = recorder?.hidden(entry) ?? entry
    if CredentialMask.count(in: shown) > CredentialMask.count(in: entry) { masksAnswers = true }
    return shown
  }

  /// Returns the text of a secret that was sent during this recording. `nil` if no secret has this
  /// mask.
  func secret(masked mask: String) -> [UInt8]? { recorder?.secrets[mask] }

  /// Returns the beginning of a response in progress, in the form that the recording will have.
  mutating func hidden(_ part: HARResponse, to request: HARRequest) -> HARResponse {
    learn(
      from: HAREntry(started: 0, milliseconds: 0, request: request, response: part), isPart: true)
    return recorder?.hidden(part) ?? part
  }

  private mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    redaction.learn(from: entry, isPart: isPart)
    recorder?.learn(from: entry, isPart: isPart)
  }

  /// Returns a text without the values that are hidden so far.
  mutating func hidden(_ text: String) -> String { recorder?.hidden(text) ?? text }

  /// The highest number that any stand-in has so far.
  var standInCount: Int { recorder?.standInCount ?? 0 }

  mutating func passStandIn(_ number: Int) { recorder?.passStandIn(number) }

  func meaning(ofStandIn number: Int) -> Redaction.Meaning {
    recorder?.meaning(ofStandIn: number) ?? .none
  }

  mutating func hide(_ told: ToldSecret) {
    recorder?.hide(told)
    if !told.isLiteral { redaction.hide(told.text, as: told.mask) }
  }

  /// Messages about credentials that the test received while recording, but that it will not
  /// receive in a replay.
  var lateCredentials: [String] {
    recorder?.lateCredentials(after: lateCount, beside: recorded.compactMap(\.self)) ?? []
  }

  /// The recorder, including the exchanges of this test. `nil` if the test has recorded nothing.
  var filledRecorder: CassetteRecorder? {
    let entries = zip(recorded, places).compactMap { entry, place in
      entry.map { (entry: $0, before: place) }
    }
    guard var recorder, !entries.isEmpty else { return nil }
    recorder.add(entries)
    return recorder
  }

  /// The recorded exchanges that the test has not requested.
  var use: CassetteUse {
    CassetteUse(
      path: path, count: cassette.entries.count,
      // While recording, it is not known yet which exchanges will be requested.
      left: isRecording ? [] : cassette.unplayedNumbers)
  }
}

/// The draft of a recording that a worker has made.
struct RecordedCassette: Codable {
  /// The path of the recording that the draft becomes.
  var path: String
  /// The path of the draft.
  var draft: String
  /// The state of the existing recording's file when it was read. `nil` if the file did not exist.
  var before: FileStamp?
  /// The number of exchanges in the draft. `newCount` is the number of new exchanges among them.
  var count: Int
  var newCount: Int
  /// Messages about possible tokens that no rule has identified, each with its place.
  var leftovers: [String]
}

/// Selects the requests of tests that are sent to the network and recorded.
package enum RecordingMode: String, Sendable, CaseIterable {
  /// No request is sent to the network.
  case none
  /// Requests that have no recorded response yet.
  case missing
  /// All requests, even those with a recorded response.
  case all
}
