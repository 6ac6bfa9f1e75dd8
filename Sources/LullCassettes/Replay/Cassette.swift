import LullCore

/// Recorded exchanges whose responses are returned instead of those of a server.
///
/// A request matches the recorded requests with the same method, URL, body and selected headers.
/// The recorded responses are returned in the order of the recording. When all of them have been
/// used, the last response is returned again.
///
/// A write to a resource separates the reads of that resource. A read that was recorded before the
/// write is used only until the response to the write has been returned. A read that was recorded
/// after the write is used only from then on, so that no value is read before it has been written.
/// (CAS-01 to CAS-05)
///
/// During recording, a request without a recorded response is appended. Appended requests don't
/// provide responses, so each further request of this kind is sent to the network. A write among
/// them separates reads nevertheless. (CAS-52)
package struct Cassette: Sendable {
  /// The recorded exchanges, in order.
  package private(set) var entries: [HAREntry]
  /// The number of entries that existed when the cassette was created.
  private let knownCount: Int
  private var requests: [RecordedRequest]
  private let names: [String]
  private var isPlayed: [Bool]
  /// For each resource, the index of the last write whose response has been returned.
  private var lastWrites: [String: Int] = [:]
  /// The indices of the writes to each resource, in order.
  private var writes: [String: [Int]] = [:]
  /// The indices of the recorded requests, by method and resource, in order.
  private var places: [Place: [Int]] = [:]

  private struct Place: Hashable {
    let method: String
    let resource: String

    init(_ request: RecordedRequest) {
      method = request.method
      resource = request.url.resource
    }
  }

  /// Creates a cassette.
  ///
  /// - Parameter names: The names of the headers that are compared, in addition to the method, URL
  ///   and body.
  package init(_ entries: [HAREntry], comparing names: [String] = []) {
    self.entries = entries
    self.names = names
    knownCount = entries.count
    requests = entries.map { RecordedRequest($0.request, comparing: names) }
    isPlayed = entries.map { _ in false }
    for (index, request) in requests.enumerated() { list(request, at: index) }
  }

  /// Creates a cassette that compares requests without their credentials. The recorded responses
  /// are returned unchanged, byte for byte.
  ///
  /// - Parameter redaction: The redaction that is applied to each request before it is compared.
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

  /// Appends a request that is being sent to the network.
  ///
  /// - Returns: The index of the existing entry before which the request must be inserted in the
  ///   final recording, because that entry is a later write to the same resource. nil if the
  ///   request can be appended.
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

  /// The recorded exchanges that have not been used.
  package var unplayed: [HAREntry] {
    zip(entries, isPlayed).filter { !$0.1 }.map(\.0)
  }

  /// The numbers of the recorded exchanges that have not been used, starting at 1.
  package var unplayedNumbers: [Int] {
    isPlayed.indices.filter { !isPlayed[$0] }.map { $0 + 1 }
  }

  /// Returns the recorded exchange whose response answers a request.
  ///
  /// - Throws: A `CassetteMiss` if no recorded request matches, or if none of the matching ones may
  ///   be used now.
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
    if requests[index].isWrite, !isPlayed[index] { lastWrites[requests[index].resource] = index }
    isPlayed[index] = true
    return entries[index]
  }

  /// Whether an entry may be used now. A write may always be used, because the order matters only
  /// for reads.
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

  /// Returns the recorded request with the fewest differences from `request`, and these
  /// differences; nil if the recording is empty.
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

/// A body that consists of files. It can be compared with a recorded body whose files contain masks
/// of secrets.
struct RecordedFile: Sendable {
  private let bytes: [UInt8]
  private let isOfFile: Bool
  /// The bytes between the masks of secrets. Without masks, this is a single element.
  private let pieces: [[UInt8]]

  /// Makes the comparable form of a body; nil if the body has neither files nor masks.
  init?(_ body: HARBody) {
    let bytes = RecordedBody.withoutBoundary(body.bytes, type: body.type)
    let pieces = RecordedFile.pieces(of: bytes)
    guard body.isOfFile || pieces.count > 1 else { return nil }
    self.bytes = bytes
    self.pieces = pieces
    isOfFile = body.isOfFile
  }

  /// Whether this body contains all `pieces` of the recorded body in order, with at least one byte
  /// in place of each mask.
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

/// The properties of a request that are compared: method, URL, body and the selected headers.
struct RecordedRequest: Sendable {
  let method: String
  let url: RecordedURL
  let body: RecordedBody
  /// The reason why the body is unknown; nil if the body is known.
  let bodyProblem: String?
  /// The values of the selected headers, by name in lower case.
  let headers: [String: [[UInt8]]]
  /// The body if it consists of files or contains the mask of a secret; otherwise nil.
  private let file: RecordedFile?
  /// The environment of the request; nil if it has none, or if it is unknown.
  let environment: String?
  private let isDeclaredSafe: Bool

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
    isDeclaredSafe = request.isDeclaredSafe
  }

  /// Whether this request matches a recorded one. Requests of different environments never match
  /// (ENV-18). In a file, any text matches the mask of a secret in the recorded file, because a
  /// test can't provide a file that contains the mask. (CAS-74)
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

  /// Identifies the resource that the request reads or writes: the URL without its query, and the
  /// environment.
  var resource: String { (environment.map { "\($0) " } ?? "") + url.resource }

  /// Whether the request may change something on the server. (RFC 9110, section 9.2.1; RFC 10008;
  /// QUERY-07)
  var isWrite: Bool {
    !isDeclaredSafe && !["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"].contains(method)
  }
}

extension RecordedRequest: Equatable {
  static func == (one: RecordedRequest, other: RecordedRequest) -> Bool {
    one.method == other.method && one.url == other.url && one.body == other.body
      && one.headers == other.headers
  }
}
