import LullCore

/// Recorded exchanges that answer requests instead of a server.
///
/// A request is answered by recorded ones with the same method, URL, body and selected headers: by
/// each of them in the order of the recording, and by the last one again when all were used. An
/// exchange that was recorded before a write to the same resource only answers until that write is
/// answered. One recorded after the write only answers from then on, so that a value that is read
/// was written before. (CAS-01 to CAS-05)
///
/// During recording, a request without an answer is added at the end. It answers nothing itself, so
/// that each such request is sent to the network, but writes among them count. (CAS-52)
package struct Cassette: Sendable {
  /// The recorded exchanges, in order.
  package private(set) var entries: [HAREntry]
  /// How many of them existed at the start.
  private let knownCount: Int
  private var requests: [RecordedRequest]
  private let names: [String]
  private var isPlayed: [Bool]
  /// The index of the last answered write, by resource.
  private var lastWrites: [String: Int] = [:]
  /// The indexes of writes to a resource, in order.
  private var writes: [String: [Int]] = [:]
  /// The indexes of requests with a method to a resource, in order.
  private var places: [Place: [Int]] = [:]

  private struct Place: Hashable {
    let method: String
    let resource: String

    init(_ request: RecordedRequest) {
      method = request.method
      resource = request.url.resource
    }
  }

  /// - Parameter names: The headers that are compared too.
  package init(_ entries: [HAREntry], comparing names: [String] = []) {
    self.entries = entries
    self.names = names
    knownCount = entries.count
    requests = entries.map { RecordedRequest($0.request, comparing: names) }
    isPlayed = entries.map { _ in false }
    for (index, request) in requests.enumerated() { list(request, at: index) }
  }

  /// Creates a cassette that compares requests without their credentials. Responses stay unchanged,
  /// byte for byte.
  ///
  /// - Parameter redaction: Redacts requests before they are looked up.
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

  /// Adds a request that is sent to the network now, after all others.
  ///
  /// - Returns: The index of the existing entry that it belongs before when everything is replayed,
  ///   because what it reads was written later; nil to append it.
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

  /// The recorded exchanges that were not requested.
  package var unplayed: [HAREntry] {
    zip(entries, isPlayed).filter { !$0.1 }.map(\.0)
  }

  /// The numbers of those, starting at 1.
  package var unplayedNumbers: [Int] {
    isPlayed.indices.filter { !isPlayed[$0] }.map { $0 + 1 }
  }

  /// Returns the recorded answer to a request.
  ///
  /// - Throws: A `CassetteMiss` if there is no recording for it, or none that applies now.
  package mutating func answer(to asked: HARRequest) throws(CassetteMiss) -> HAREntry {
    let request = RecordedRequest(asked, comparing: names)
    let fitting = (places[Place(request)] ?? []).filter { request.fits(requests[$0]) }
    // An entry without an environment may belong to another one.
    let own = fitting.filter { requests[$0].environment == request.environment }
    let same = own.isEmpty ? fitting : own
    guard !same.isEmpty else {
      throw CassetteMiss(asked, nearest: nearest(to: request))
    }
    // A 304 response is only useful for a client that has the data.
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

  /// Writes may come in any order: only reads show their effect.
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

  /// Returns the recorded request with the fewest differences, and the differences; nil for an
  /// empty recording.
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

/// A body of files, compared with a recording that masks the secrets in the files.
struct RecordedFile: Sendable {
  private let bytes: [UInt8]
  private let isOfFile: Bool
  /// The pieces between the masks of secrets; one piece without masks.
  private let pieces: [[UInt8]]

  /// Returns nil for a body with neither files nor masks.
  init?(_ body: HARBody) {
    let bytes = RecordedBody.withoutBoundary(body.bytes, type: body.type)
    let pieces = RecordedFile.pieces(of: bytes)
    guard body.isOfFile || pieces.count > 1 else { return nil }
    self.bytes = bytes
    self.pieces = pieces
    isOfFile = body.isOfFile
  }

  /// Whether the files contain the recording's pieces, in order, with something in place of each
  /// mask.
  func fits(_ recorded: RecordedFile) -> Bool {
    guard isOfFile, recorded.pieces.count > 1, let first = recorded.pieces.first,
      let last = recorded.pieces.last, bytes.starts(with: first)
    else { return false }
    var place = first.count
    for piece in recorded.pieces.dropFirst().dropLast() {
      // A mask represents at least one byte.
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

/// The compared parts of a request: method, URL, body, and the selected headers.
struct RecordedRequest: Sendable {
  let method: String
  let url: RecordedURL
  let body: RecordedBody
  /// Why the body is unknown; nil if it is known.
  let bodyProblem: String?
  /// The selected headers that it has, with all their values, by names in lower case.
  let headers: [String: [[UInt8]]]
  /// For a body of files, or one with the mask of a secret.
  private let file: RecordedFile?
  /// nil for none or any.
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
      // Tokens that a service manages itself are secrets, which are not distinguished.
      let isCredential = CredentialMask.header(header.name, "x") == CredentialMask.mark
      headers[header.name.lowercased(), default: []].append(
        isCredential ? Array(CredentialMask.mark.utf8) : header.value)
    }
    self.headers = headers
    environment = request.environment
  }

  /// Whether it matches the recorded one. A request of an environment does not match another
  /// environment (ENV-18). In a file, anything may be in place of a secret's mask: a test cannot
  /// provide a file that contains the mask. (CAS-74)
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

  /// The resource that writes change: its URL, in its environment.
  var resource: String { (environment.map { "\($0) " } ?? "") + url.resource }

  /// Whether the request writes. (RFC 9110, section 9.2.1; RFC 10008 has QUERY)
  var isWrite: Bool { !["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"].contains(method) }
}

extension RecordedRequest: Equatable {
  static func == (one: RecordedRequest, other: RecordedRequest) -> Bool {
    one.method == other.method && one.url == other.url && one.body == other.body
      && one.headers == other.headers
  }
}
