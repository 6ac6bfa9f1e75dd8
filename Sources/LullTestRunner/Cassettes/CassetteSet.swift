import LullCassettes
import LullCore
import LullHost
import LullSystem
import LullTransport

/// The recordings that answer the requests of one test, in the order in which it has named them.
///
/// Any of them answers any request, of whichever service: the first that has an answer counts. So the requests
/// for tokens are answered, too, which go elsewhere. (CAS-30, CAS-38)
struct CassetteSet {
  struct Problem: Error {
    let text: String
    /// Whether the file is missing or broken; else it was asked for wrongly.
    var isOfFile = false
  }

  private(set) var cassettes: [TestCassette] = []
  private let cache: CassetteCache
  /// Where what has no answer is recorded; nil: nothing is.
  private let recorders: CassetteRecorders?

  init(_ cache: CassetteCache = CassetteCache(), recording recorders: CassetteRecorders? = nil) {
    self.cache = cache
    self.recorders = recorders
  }

  var isRecording: Bool { recorders != nil && !cassettes.isEmpty }

  var isEmpty: Bool { cassettes.isEmpty }

  /// Puts one in, unless it is there.
  ///
  /// - Parameters:
  ///   - folder: of the file of tests.
  ///   - headers: names of those that count too, in lower case; none: those it is compared by already.
  ///   - names: of what is a credential besides, in lower case; none: those that it hides already.
  /// - Returns: when what it has was recorded, in seconds since 1970, if it says so and is new.
  mutating func insert(
    _ name: String, folder: [UInt8], comparing headers: [String], hiding names: [String]
  ) throws(Problem) -> Double? {
    guard HARFile.isPlain(name: name) else {
      throw Problem(
        text:
          "a cassette has a plain name, such as 'repos' for cassettes/repos.har beside the file of tests, "
          + "got '\(ControlCharacters.shown(in: name))'")
    }
    let headers = Set(headers).sorted()
    let hidden = Set(names).sorted()
    if let known = cassettes.first(where: { $0.name == name }) {
      guard headers.isEmpty || headers == known.headers else {
        let names = known.headers.isEmpty ? "none" : known.headers.joined(separator: ", ")
        throw Problem(
          text:
            "the cassette '\(name)' is in use in this test already, by other headers (\(names)): give "
            + "'match' where it is named first")
      }
      guard hidden.isEmpty || hidden == known.hidden else {
        throw Problem(
          text:
            "the cassette '\(name)' is in use in this test already, and hides other names: give 'hide' where it is "
            + "named first")
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

  /// A service has named a recording: what is asked of it in earnest is recorded there.
  mutating func claim(_ name: String, _ claim: CassetteClaim) {
    guard let place = cassettes.firstIndex(where: { $0.name == name }) else { return }
    cassettes[place].claim(claim)
  }

  /// Those that may answer a request, in order: where its environment has named some for its server, those that
  /// others have named for it are left out.
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

  /// Where a request is written down that is asked in earnest.
  struct Place {
    fileprivate let cassette: Int
    fileprivate let number: Int
  }

  /// Notes it in the recording of the service that is there, else in the first of all: so are requests for tokens.
  mutating func note(_ request: HARRequest) -> Place {
    let claim = CassetteClaim(request)
    let cassette =
      cassettes.firstIndex { $0.claims.contains(claim) }
      ?? cassettes.firstIndex { $0.claims.contains { $0.origin == claim.origin } } ?? 0
    return Place(cassette: cassette, number: cassettes[cassette].note(request))
  }

  /// What came of it; nil: nothing to be written down.
  ///
  /// - Returns: the same as the recording will have it.
  mutating func end(_ place: Place, with entry: HAREntry?) -> HAREntry? {
    passStandIns(at: place)
    return cassettes[place.cassette].end(place.number, with: entry)
  }

  /// A part of an answer that is on its way, as the recording will have it.
  mutating func hidden(
    _ part: HARResponse, of place: Place, to request: HARRequest
  ) -> HARResponse {
    passStandIns(at: place)
    return cassettes[place.cassette].hidden(part, to: request)
  }

  /// No two recordings of a run have the same for different tokens.
  private mutating func passStandIns(at place: Place) {
    let highest = max(recorders?.standInCount ?? 0, cassettes.map(\.standInCount).max() ?? 0)
    cassettes[place.cassette].passStandIn(highest)
  }

  /// The token that a stand-in stands for; nil where no recording knows, or one cannot tell.
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

  /// The text of a secret that was told while these were recorded, by its mask.
  func secret(masked mask: String) -> [UInt8]? {
    cassettes.lazy.compactMap { $0.secret(masked: mask) }.first
  }

  /// Whether an answer of the test has `***` in it for something that nobody can tell any more.
  var masksAnswers: Bool { cassettes.contains(where: \.masksAnswers) }

  /// A text of the test with tokens in the place of their stand-ins.
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

  /// A text that is told or kept, without what recordings hide; as it is where nothing is recorded.
  mutating func hidden(_ text: String) -> String {
    guard isRecording else { return text }
    var text = text
    for place in cassettes.indices { text = cassettes[place].hidden(text) }
    return text
  }

  /// What the test has seen while it was recorded, and will not see so again, in sentences.
  var lateCredentials: [String] {
    cassettes.flatMap { cassette in
      cassette.lateCredentials.map { "\(cassette.path): \($0)" }
    }
  }

  /// Writes drafts of what the test has recorded.
  func keep() throws(Problem) -> [RecordedCassette] {
    guard let recorders else { return [] }
    var kept: [RecordedCassette] = []
    for recorder in cassettes.compactMap(\.filledRecorder) {
      kept.append(try recorders.keep(recorder))
    }
    return kept
  }

  /// What was recorded, of the first one that has it; nil without any recording.
  ///
  /// - Throws: the miss of that which is nearest, and the name of its recording.
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

    /// Its first line.
    var summary: String {
      let line = description.prefix { $0 != "\n" }
      return String(line.hasSuffix(":") ? line.dropLast() : line)
    }
  }
}

/// Where a service is that has named a recording, and in which environment of its API file: its requests are
/// recorded there, and answered from there before other environments' recordings are asked. (CAS-62, ENV-18)
struct CassetteClaim: Hashable {
  let origin: String
  /// nil: none.
  let environment: String?

  init(url: String, environment: String?) {
    origin = RecordedURL(url).origin
    self.environment = environment
  }

  init(_ request: HARRequest) {
    self.init(url: request.url, environment: request.environment)
  }
}

/// Recordings that were read for one test, for those of the next one: it is not read and searched for
/// credentials again as long as the bytes of its file are the same.
final class CassetteCache {
  private struct Key: Hashable {
    let path: [UInt8]
    let headers: [String]
  }

  private var kept: [Key: (bytes: [UInt8], cassette: TestCassette)] = [:]
  private var size = 0

  /// In bytes of files; what would be more is read each time.
  private static let room = 32 << 20

  /// As it is at its start.
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
