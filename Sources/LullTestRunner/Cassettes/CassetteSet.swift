import LullCassettes
import LullCore
import LullHost
import LullSystem
import LullTransport

/// The recordings that answer the requests of one test, in the order in which the test names them.
///
/// Any of them can answer a request of any service. The first one that has a response is used. In
/// this way, requests for tokens to other servers are answered too. (CAS-30, CAS-38)
struct CassetteSet {
  struct Problem: Error {
    let text: String
    /// Whether the recording's file is missing or invalid. If false, the call was invalid.
    var isOfFile = false
  }

  private(set) var cassettes: [TestCassette] = []
  private let cache: CassetteCache
  /// The recorders for requests without a recorded response. `nil` if nothing is recorded.
  private let recorders: CassetteRecorders?

  init(_ cache: CassetteCache = CassetteCache(), recording recorders: CassetteRecorders? = nil) {
    self.cache = cache
    self.recorders = recorders
  }

  var isRecording: Bool { recorders != nil && !cassettes.isEmpty }

  var isEmpty: Bool { cassettes.isEmpty }

  /// Adds a recording unless it is already included.
  ///
  /// - Parameters:
  ///   - folder: The folder of the test file.
  ///   - headers: The names of additional headers to compare, in lower case. If the list is empty,
  ///     the headers of an already included recording stay in effect.
  ///   - names: The names of additional credentials, in lower case. If the list is empty, the
  ///     credentials of an already included recording stay in effect.
  /// - Returns: The time of the recording in seconds since 1970. `nil` if the time is unknown, or
  ///   if the recording was already included.
  mutating func insert(
    _ name: String, folder: [UInt8], comparing headers: [String], hiding names: [String]
  ) throws(Problem) -> Double? {
    guard HARFile.isPlain(name: name) else {
      throw Problem(
        text:
          "a cassette needs a plain name, such as 'repos' for cassettes/repos.har beside the test "
          + "file, got '\(ControlCharacters.shown(in: name))'")
    }
    let headers = Set(headers).sorted()
    let hidden = Set(names).sorted()
    if let known = cassettes.first(where: { $0.name == name }) {
      guard headers.isEmpty || headers == known.headers else {
        let names = known.headers.isEmpty ? "none" : known.headers.joined(separator: ", ")
        throw Problem(
          text:
            "the cassette '\(name)' is already in use in this test, with other headers (\(names)): "
            + "pass 'match' at its first use")
      }
      guard hidden.isEmpty || hidden == known.hidden else {
        throw Problem(
          text:
            "the cassette '\(name)' is already in use in this test, and hides other names: pass "
            + "'hide' at its first use")
      }
      return nil
    }
    let path = FileName.path(of: "cassettes/\(name).har", in: folder)
    guard let recorders else {
      let cassette = try TestCassette.open(
        name, path, comparing: headers, hiding: hidden, cache)
      cassettes.append(cassette)
      return cassette.started
    }
    let recorder = try recorders.recorder(of: path)
    let cassette = TestCassette(name, recording: recorder, comparing: headers, hiding: hidden)
    cassettes.append(cassette)
    return cassette.started ?? SystemClock.now
  }

  /// Assigns a recording to a service. Requests to the service are then recorded in that recording.
  mutating func claim(_ name: String, _ claim: CassetteClaim) {
    guard let place = cassettes.firstIndex(where: { $0.name == name }) else { return }
    cassettes[place].claim(claim)
  }

  /// Returns the indices of the recordings that may answer a request, in order. If recordings are
  /// assigned to the request's server and environment, recordings of other environments are
  /// excluded.
  private func places(for request: HARRequest) -> [Int] {
    let claim = CassetteClaim(request)
    guard cassettes.contains(where: { $0.claims.contains(claim) }) else {
      return Array(cassettes.indices)
    }
    return cassettes.indices.filter { place in
      let claims = cassettes[place].claims
      return claims.contains(claim) || !claims.contains { $0.origin == claim.origin }
    }
  }

  // MARK: Recording

  /// Identifies a request in one of the recordings.
  struct Place {
    fileprivate let cassette: Int
    fileprivate let number: Int
  }

  /// Adds a request to the recording that is assigned to the request's service. If there is no such
  /// recording, adds it to the first one, as with requests for tokens.
  mutating func note(_ request: HARRequest) -> Place {
    let claim = CassetteClaim(request)
    let cassette =
      cassettes.firstIndex { $0.claims.contains(claim) }
      ?? cassettes.firstIndex { $0.claims.contains { $0.origin == claim.origin } } ?? 0
    return Place(cassette: cassette, number: cassettes[cassette].note(request))
  }

  /// Completes a request with its recorded entry. If the entry is `nil`, the request is not
  /// recorded.
  ///
  /// - Returns: The exchange in the form that the recording will have.
  mutating func end(_ place: Place, with entry: HAREntry?) -> HAREntry? {
    passStandIns(at: place)
    return cassettes[place.cassette].end(place.number, with: entry)
  }

  /// Returns the beginning of a response in progress, in the form that the recording will have.
  mutating func hidden(
    _ part: HARResponse, of place: Place, to request: HARRequest
  ) -> HARResponse {
    passStandIns(at: place)
    return cassettes[place.cassette].hidden(part, to: request)
  }

  /// Reserves numbers of stand-ins. Two recordings of a run then never use the same stand-in for
  /// different tokens.
  private mutating func passStandIns(at place: Place) {
    let highest = max(recorders?.standInCount ?? 0, cassettes.map(\.standInCount).max() ?? 0)
    cassettes[place.cassette].passStandIn(highest)
  }

  /// Returns the token that a stand-in represents. `nil` if the token is unknown, or if recordings
  /// disagree about it.
  func token(ofStandIn number: Int) -> [UInt8]? {
    var found: [UInt8]?
    for cassette in cassettes {
      switch cassette.meaning(ofStandIn: number) {
      case .none: continue
      case .unknown: return nil
      case .text(let token):
        if let found, found != token { return nil }
        found = token
      }
    }
    return found
  }

  /// Returns the text of a secret that was sent during this recording. `nil` if no secret has this
  /// mask.
  func secret(masked mask: String) -> [UInt8]? {
    cassettes.lazy.compactMap { $0.secret(masked: mask) }.first
  }

  /// Whether a recorded response contains `***` in place of a value that can't be restored.
  var masksAnswers: Bool { cassettes.contains(where: \.masksAnswers) }

  /// Replaces the stand-ins in a text with their tokens.
  func told(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let told = StandIns.told(bytes) { token(ofStandIn: $0) }
    return told == bytes ? text : String(decoding: told, as: UTF8.self)
  }

  mutating func hide(_ told: [ToldSecret]) {
    for place in cassettes.indices {
      for secret in told { cassettes[place].hide(secret) }
    }
  }

  /// Returns a text for display or storage, without the values that recordings hide. If nothing is
  /// recorded, returns the text unchanged.
  mutating func hidden(_ text: String) -> String {
    guard isRecording else { return text }
    var text = text
    for place in cassettes.indices { text = cassettes[place].hidden(text) }
    return text
  }

  /// Messages about credentials that the test received while recording, but that it will not
  /// receive in a replay.
  var lateCredentials: [String] {
    cassettes.flatMap { cassette in
      cassette.lateCredentials.map { "\(cassette.path): \($0)" }
    }
  }

  /// Writes the drafts of the recorded exchanges.
  func keep() throws(Problem) -> [RecordedCassette] {
    guard let recorders else { return [] }
    var kept: [RecordedCassette] = []
    for recorder in cassettes.compactMap(\.filledRecorder) {
      kept.append(try recorders.keep(recorder))
    }
    return kept
  }

  /// Returns the response of the first recording that has one. `nil` if there are no recordings.
  ///
  /// - Throws: The nearest recorded request, and the name of its recording.
  mutating func answer(to request: HARRequest) throws(Miss) -> HAREntry? {
    var nearest: Miss?
    for place in places(for: request) {
      do throws(CassetteMiss) {
        return try cassettes[place].answer(to: request)
      } catch {
        if nearest.map({ error.distance < $0.miss.distance }) ?? true {
          nearest = Miss(cassette: cassettes[place].name, miss: error)
        }
      }
    }
    if let nearest { throw nearest }
    return nil
  }

  struct Miss: Error, CustomStringConvertible {
    let cassette: String
    let miss: CassetteMiss

    var description: String { "cassette '\(cassette)': \(miss)" }

    /// The first line of the message.
    var summary: String {
      let line = description.prefix { $0 != "\n" }
      return String(line.hasSuffix(":") ? line.dropLast() : line)
    }
  }
}

/// Identifies a service to which a recording is assigned, by its origin and environment.
///
/// Requests of the service are recorded in that recording. When they are replayed, recordings
/// assigned to other environments are not used. (CAS-62, ENV-18)
struct CassetteClaim: Hashable {
  let origin: String
  /// The environment of the service. `nil` for none.
  let environment: String?

  init(url: String, environment: String?) {
    origin = RecordedURL(url).origin
    self.environment = environment
  }

  init(_ request: HARRequest) {
    self.init(url: request.url, environment: request.environment)
  }
}

/// Keeps the parsed recordings of one test for the next tests. While the bytes of a file stay the
/// same, the file is not parsed again, and not searched for credentials again.
final class CassetteCache {
  private struct Key: Hashable {
    let path: [UInt8]
    let headers: [String]
  }

  private var kept: [Key: (bytes: [UInt8], cassette: TestCassette)] = [:]
  private var size = 0

  /// The maximum size of all cached files in bytes. Other recordings are parsed each time.
  private static let room = 32 << 20

  /// Returns a cached recording in its initial state. `nil` if the recording is not cached, or if
  /// its file has changed.
  func cassette(of path: [UInt8], _ headers: [String], _ bytes: [UInt8]) -> TestCassette? {
    guard let known = kept[Key(path: path, headers: headers)], known.bytes == bytes else {
      return nil
    }
    return known.cassette
  }

  func keep(_ cassette: TestCassette, of path: [UInt8], _ headers: [String], _ bytes: [UInt8]) {
    let key = Key(path: path, headers: headers)
    size -= kept.removeValue(forKey: key)?.bytes.count ?? 0
    guard size + bytes.count <= CassetteCache.room else { return }
    kept[key] = (bytes, cassette)
    size += bytes.count
  }
}
