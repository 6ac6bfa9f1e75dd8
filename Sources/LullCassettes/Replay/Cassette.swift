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
