import LullCore

/// Recorded exchanges that answer requests in place of a server.
///
/// A request is answered by a recorded one with the same method, URL, body and chosen headers: by each of those in
/// the order of the recording, and by the last again when all have been. What was recorded before a write to
/// the same resource answers only until that write is answered, and what was recorded after it only from then
/// on, so that a value that is read has been written. (CAS-01 to CAS-05)
///
/// While it is recorded, what it has no answer for is noted behind the rest. That answers nothing itself, so
/// that each such request is asked in earnest; but the writes among it count. (CAS-52)
package struct Cassette: Sendable {
  /// Of the recorded exchange, in order.
  package private(set) var entries: [HAREntry]
  /// How many of them were there at the start.
  private let knownCount: Int
  private var requests: [RecordedRequest]
  private let names: [String]
  private var isPlayed: [Bool]
  /// Where the last write stands that was answered, by resource.
  private var lastWrites: [String: Int] = [:]
  /// Where writes to a resource stand, in order.
  private var writes: [String: [Int]] = [:]
  /// Where requests of a method to a resource stand, in order.
  private var places: [Place: [Int]] = [:]

  private struct Place: Hashable {
    let method: String
    let resource: String

    init(_ request: RecordedRequest) {
      method = request.method
      resource = request.url.resource
    }
  }

  /// - Parameter names: of headers that count too.
  package init(_ entries: [HAREntry], comparing names: [String] = []) {
    self.entries = entries
    self.names = names
    knownCount = entries.count
    requests = entries.map { RecordedRequest($0.request, comparing: names) }
    isPlayed = entries.map { _ in false }
    for (index, request) in requests.enumerated() { list(request, at: index) }
  }

  /// One to which requests are compared without what lets somebody in; answers stay as they are, byte for byte.
  ///
  /// - Parameter redaction: what requests go through before they are asked for.
  package init(
    _ entries: [HAREntry], redactingRequestsBy redaction: inout Redaction,
    comparing names: [String] = []
  ) {
    let redacted = redaction.redacted(entries)
    let compared = zip(entries, redacted).map { entry, redacted in
      var entry = entry
      entry.request = redacted.request
      return entry
    }
    self.init(compared, comparing: names)
  }

  private mutating func list(_ request: RecordedRequest, at index: Int) {
    places[Place(request), default: []].append(index)
    if request.isWrite { writes[request.resource, default: []].append(index) }
  }

  /// Notes a request that is asked in earnest now, behind all others.
  ///
  /// - Returns: before which of those that were there at the start it belongs when all is replayed, since
  ///   what it reads was written after; nil: behind them.
  @discardableResult
  package mutating func note(_ asked: HARRequest) -> Int? {
    let request = RecordedRequest(asked, comparing: names)
    let index = entries.count
    let last = lastWrites[request.resource] ?? -1
    let next = (writes[request.resource] ?? []).first { $0 > last && $0 < knownCount }
    entries.append(HAREntry(started: 0, milliseconds: 0, request: asked))
    requests.append(request)
    isPlayed.append(true)
    list(request, at: index)
    if request.isWrite {
      lastWrites[request.resource] = index
      return nil
    }
    return next
  }

  /// The recorded exchanges that nobody has asked for.
  package var unplayed: [HAREntry] {
    zip(entries, isPlayed).filter { !$0.1 }.map(\.0)
  }

  /// Which ones these are, from 1.
  package var unplayedNumbers: [Int] {
    isPlayed.indices.filter { !isPlayed[$0] }.map { $0 + 1 }
  }

  /// What a request is answered with.
  ///
  /// - Throws: A `CassetteMiss` if nothing was recorded for it, or nothing for now.
  package mutating func answer(to asked: HARRequest) throws(CassetteMiss) -> HAREntry {
    let request = RecordedRequest(asked, comparing: names)
    let fitting = (places[Place(request)] ?? []).filter { request.fits(requests[$0]) }
    // What does not say of which environment it is may be of another.
    let own = fitting.filter { requests[$0].environment == request.environment }
    let same = own.isEmpty ? fitting : own
    guard !same.isEmpty else {
      throw CassetteMiss(asked, nearest: nearest(to: request))
    }
    // Only who has the data already can do with the word that it has not changed.
    let useful = asked.isConditional ? same : same.filter { entries[$0].response?.status != 304 }
    guard !useful.isEmpty else { throw CassetteMiss(notModified: asked) }
    let now = useful.filter(isOfNow)
    guard let index = now.first(where: { !isPlayed[$0] }) ?? now.last(where: { $0 < knownCount })
    else { throw CassetteMiss(asked, isBehindWrite: useful.allSatisfy { isPast($0) }) }
    if let response = entries[index].response, response.lacksBody {
      throw CassetteMiss(bodyless: asked, response.bodyProblem)
    }
    if request.isWrite, !isPlayed[index] { lastWrites[requests[index].resource] = index }
    isPlayed[index] = true
    return entries[index]
  }

  /// Writes come in any order: what they do is known only from what is read.
  private func isOfNow(_ index: Int) -> Bool {
    let request = requests[index]
    guard !request.isWrite else { return true }
    guard !isPast(index) else { return false }
    let last = lastWrites[request.resource] ?? -1
    let next = (writes[request.resource] ?? []).first { $0 > last }
    return next.map { index < $0 } ?? true
  }

  private func isPast(_ index: Int) -> Bool {
    let request = requests[index]
    return !request.isWrite && index < lastWrites[request.resource] ?? -1
  }

  /// The recorded request with the fewest differences, and what these are; nil of an empty recording.
  private func nearest(to request: RecordedRequest) -> CassetteMiss.Nearest? {
    var best: (weight: Int, index: Int, differences: [RequestDifference])?
    for (index, recorded) in requests.enumerated() {
      let differences = RequestDifference.between(recorded, request)
      let weight = differences.reduce(0) { $0 + $1.weight }
      if best.map({ weight < $0.weight }) ?? true { best = (weight, index, differences) }
    }
    return best.map {
      CassetteMiss.Nearest(
        number: $0.index + 1, request: entries[$0.index].request, differences: $0.differences)
    }
  }
}

/// A body of files as it is compared where the recording has masks of secrets in it, whose texts the files have.
struct RecordedFile: Sendable {
  private let bytes: [UInt8]
  private let isOfFile: Bool
  /// What stands between the masks of secrets; one piece without any.
  private let pieces: [[UInt8]]

  /// nil of a body that has neither files nor masks.
  init?(_ body: HARBody) {
    let bytes = RecordedBody.withoutBoundary(body.bytes, type: body.type)
    let pieces = RecordedFile.pieces(of: bytes)
    guard body.isOfFile || pieces.count > 1 else { return nil }
    self.bytes = bytes
    self.pieces = pieces
    isOfFile = body.isOfFile
  }

  /// Whether these are files with the other's pieces, in order, and something in the place of each mask.
  func fits(_ recorded: RecordedFile) -> Bool {
    guard isOfFile, recorded.pieces.count > 1, let first = recorded.pieces.first,
      let last = recorded.pieces.last, bytes.starts(with: first)
    else { return false }
    var place = first.count
    for piece in recorded.pieces.dropFirst().dropLast() {
      // At least one byte stands for a mask.
      guard place < bytes.count,
        let found = bytes[(place + 1)...].firstRange(of: piece)
      else { return false }
      place = found.upperBound
    }
    return bytes.count > place + last.count && bytes.suffix(last.count).elementsEqual(last)
  }

  private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while let start = rest.firstRange(of: Array("‹secret ".utf8)),
      let end = rest[start.upperBound...].firstRange(of: Array("›".utf8))
    {
      pieces.append(Array(rest[..<start.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return pieces + [Array(rest)]
  }
}

/// A request as it is compared with recorded ones: method, URL, body, and those headers that were chosen.
struct RecordedRequest: Sendable {
  let method: String
  let url: RecordedURL
  let body: RecordedBody
  /// Why it is not known; nil: it is.
  let bodyProblem: String?
  /// Of the chosen headers those that it has, each with all of its values; by names in lower case.
  let headers: [String: [[UInt8]]]
  /// Of a body of files, or one that has the mask of a secret.
  private let file: RecordedFile?
  /// nil: none, or of whichever.
  let environment: String?

  init(_ request: HARRequest, comparing names: [String]) {
    method = request.method
    url = RecordedURL(request.url).withPlainMasks()
    body = RecordedBody(request.body?.bytes, type: request.body?.type ?? "")
    bodyProblem = request.bodyProblem
    file = request.body.flatMap { RecordedFile($0) }
    var headers: [String: [[UInt8]]] = [:]
    let names = names.map { $0.lowercased() }
    for header in request.headers where names.contains(header.name.lowercased()) {
      // Tokens that a service keeps by itself are secrets, which are not told apart.
      let isCredential = CredentialMask.header(header.name, "x") == CredentialMask.mark
      headers[header.name.lowercased(), default: []].append(
        isCredential ? Array(CredentialMask.mark.utf8) : header.value)
    }
    self.headers = headers
    environment = request.environment
  }

  /// Whether it is what was recorded. What is of an environment is for no other (ENV-18); in a file anything may stand
  /// where the recording has the mask of a secret: no test gives it a file with that. (CAS-74)
  func fits(_ recorded: RecordedRequest) -> Bool {
    guard method == recorded.method, url == recorded.url, headers == recorded.headers,
      recorded.isOfEnvironment(of: self), recorded.bodyProblem == nil
    else { return false }
    if body == recorded.body { return true }
    guard let file, let other = recorded.file else { return false }
    return file.fits(other)
  }

  func isOfEnvironment(of asked: RecordedRequest) -> Bool {
    environment == nil || environment == asked.environment
  }

  /// What writes to it change: its place, in its environment.
  var resource: String { (environment.map { "\($0) " } ?? "") + url.resource }

  /// Whether it changes what is at its place. (RFC 9110, section 9.2.1; RFC 10008 has QUERY)
  var isWrite: Bool { !["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"].contains(method) }
}

extension RecordedRequest: Equatable {
  static func == (one: RecordedRequest, other: RecordedRequest) -> Bool {
    one.method == other.method && one.url == other.url && one.body == other.body
      && one.headers == other.headers
  }
}
