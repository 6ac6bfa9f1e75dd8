import LullCore

/// Recorded exchanges that answer requests instead of a server.
///
/// A request matches recorded ones with the same method, URL, body and selected headers. They
/// answer in the order of the recording. When all have been used, the last one answers again.
///
/// A write to a resource separates the reads of that resource. An exchange that was recorded before
/// the write answers only until the write is answered. One recorded after the write answers only
/// from then on, so that a value is not read before it has been written. (CAS-01 to CAS-05)
///
/// During recording, a request without an answer is appended. It does not answer other requests, so
/// each such request is sent to the network. A write among them separates reads nevertheless.
/// (CAS-52)
package struct Cassette: Sendable {
  /// The recorded exchanges, in order.
  package private(set) var entries: [HAREntry]
  /// The number of entries that existed when the cassette was created.
  private let knownCount: Int
  private var requests: [RecordedRequest]
  private let names: [String]
  private var isPlayed: [Bool]
  /// The index of the last write that was answered. The key is the resource.
  private var lastWrites: [String: Int] = [:]
  /// The indices of the writes to each resource, in order.
  private var writes: [String: [Int]] = [:]
  /// The indices of the requests with each method to each resource, in order.
  private var places: [Place: [Int]] = [:]

  private struct Place: Hashable {
    let method: String
    let resource: String

    init(_ request: RecordedRequest) {
      method = request.method
      resource = request.url.resource
    }
  }

  /// - Parameter names: The names of the headers that are compared too.
  package init(_ entries: [HAREntry], comparing names: [String] = []) {
    self.entries = entries
    self.names = names
    knownCount = entries.count
    requests = entries.map { RecordedRequest($0.request, comparing: names) }
    isPlayed = entries.map { _ in false }
    for (index, request) in requests.enumerated() { list(request, at: index) }
  }

  /// Creates a cassette that compares requests without their credentials. The recorded responses
  /// are unchanged, byte for byte.
  ///
  /// - Parameter redaction: Redacts each request before it is looked up.
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

  /// Appends a request that is now sent to the network.
  ///
  /// - Returns: The index of the existing entry that the request must precede in the final
  ///   recording, because that entry's write changes the resource later. nil if the request can be
  ///   appended there too.
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

  /// The recorded exchanges that no request has used.
  package var unplayed: [HAREntry] {
    zip(entries, isPlayed).filter { !$0.1 }.map(\.0)
  }

  /// The numbers of the recorded exchanges that no request has used, starting at 1.
  package var unplayedNumbers: [Int] {
    isPlayed.indices.filter { !isPlayed[$0] }.map { $0 + 1 }
  }

  /// Returns the recorded answer to a request.
  ///
  /// - Throws: A `CassetteMiss` if no recorded request matches, or if none applies now.
  package mutating func answer(to asked: HARRequest) throws(CassetteMiss) -> HAREntry {
    let request = RecordedRequest(asked, comparing: names)
    let fitting = (places[Place(request)] ?? []).filter { request.fits(requests[$0]) }
    // An entry without an environment may belong to another one, so entries of the same environment
    // are preferred.
    let own = fitting.filter { requests[$0].environment == request.environment }
    let same = own.isEmpty ? fitting : own
    guard !same.isEmpty else {
      throw CassetteMiss(asked, nearest: nearest(to: request))
    }
    // A 304 response is useful only for a client that already has the data.
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

  /// Whether an entry may answer now. A write always may, because only reads show the effect of the
  /// order.
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

  /// Returns the recorded request with the fewest differences, and these differences. nil if the
  /// recording is empty.
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

/// A body that consists of files. It can be compared with a recorded body in which secrets in the
/// files are masked.
struct RecordedFile: Sendable {
  private let bytes: [UInt8]
  private let isOfFile: Bool
  /// The pieces between the masks of secrets. Without masks, this is a single piece.
  private let pieces: [[UInt8]]

  /// Creates the body for comparison. nil if it has neither files nor masks.
  init?(_ body: HARBody) {
    let bytes = RecordedBody.withoutBoundary(body.bytes, type: body.type)
    let pieces = RecordedFile.pieces(of: bytes)
    guard body.isOfFile || pieces.count > 1 else { return nil }
    self.bytes = bytes
    self.pieces = pieces
    isOfFile = body.isOfFile
  }

  /// Whether the files contain all pieces of the recorded body in order, with some bytes in place
  /// of each mask.
  func fits(_ recorded: RecordedFile) -> Bool {
    guard isOfFile, recorded.pieces.count > 1, let first = recorded.pieces.first,
      let last = recorded.pieces.last, bytes.starts(with: first)
    else { return false }
    var place = first.count
    for piece in recorded.pieces.dropFirst().dropLast() {
      // At least one byte must be in place of a mask.
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

/// The parts of a request that are compared: method, URL, body and the selected headers.
struct RecordedRequest: Sendable {
  let method: String
  let url: RecordedURL
  let body: RecordedBody
  /// The reason why the body is unknown. nil if it is known.
  let bodyProblem: String?
  /// The selected headers of the request with all their values. Names are in lower case.
  let headers: [String: [[UInt8]]]
  /// The body if it consists of files or contains the mask of a secret.
  private let file: RecordedFile?
  /// The environment of the request. nil if it has none, or if it is unknown.
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
      // Tokens that a service manages itself are secrets, and secrets are all considered equal.
      let isCredential = CredentialMask.header(header.name, "x") == CredentialMask.mark
      headers[header.name.lowercased(), default: []].append(
        isCredential ? Array(CredentialMask.mark.utf8) : header.value)
    }
    self.headers = headers
    environment = request.environment
  }

  /// Whether the request matches a recorded one. Requests of different environments never match
  /// (ENV-18). In a file, any text may be in place of a secret's mask, because a test can't provide
  /// a file that contains the mask. (CAS-74)
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

  /// Identifies the resource that writes change: its URL, in its environment.
  var resource: String { (environment.map { "\($0) " } ?? "") + url.resource }

  /// Whether the method is one that writes. (RFC 9110, section 9.2.1; RFC 10008 has QUERY)
  var isWrite: Bool { !["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"].contains(method) }
}

extension RecordedRequest: Equatable {
  static func == (one: RecordedRequest, other: RecordedRequest) -> Bool {
    one.method == other.method && one.url == other.url && one.body == other.body
      && one.headers == other.headers
  }
}
