import LullCore

/// The exchanges with one origin: how many are under way, and those that wait their turn.
///
/// A waiting exchange costs one slot here and no curl handle. First come, first served.
final class HostQueue {
  /// Streams of one HTTP/2 connection: curl's own limit, so that one connection carries them all.
  private static let maxStreams = 100

  /// Exchanges under way while nobody knows the host's address: each looks it up, on a thread of its
  /// own.
  private static let maxLookUps = 16

  let origin: Origin
  /// Where its multi handles begin among those of the provider.
  private var firstMulti: Int
  /// Whether the last response came over HTTP/2; nil before the first.
  var usedHTTP2: Bool?
  var speaksHTTP2: Bool { usedHTTP2 ?? false }
  private(set) var activeCount = 0

  /// Those under way while the address is not known; nil once it is.
  private var pioneers: [CurlTransfer]?
  /// Places under way were numbered up to here; of them these are free, the one left last at the end:
  /// its connection is the one that is the most likely to be alive.
  private var placeCount = 0
  private var freePlaces: [Int] = []

  private var waiting: [CurlTransfer?] = []
  private var head = 0
  /// Slots of exchanges cancelled while waiting, swept together.
  private var cancelledCount = 0

  init(origin: Origin, firstMulti: Int) {
    self.origin = origin
    self.firstMulti = firstMulti
    pioneers = origin.isNumeric ? nil : []
  }

  var waitingCount: Int { waiting.count - head - cancelledCount }

  var isIdle: Bool { activeCount == 0 && waitingCount == 0 }

  /// Whether one more may go out now, by the limits of that one.
  func hasRoom(for transfer: CurlTransfer) -> Bool {
    let connections = max(1, transfer.request.limits.connectionsPerHost)
    let shares = speaksHTTP2 && transfer.request.options?.connection.httpVersion != .http1
    let room = shares ? max(connections, HostQueue.maxStreams) : connections
    return activeCount < (pioneers == nil ? room : min(room, HostQueue.maxLookUps))
  }

  /// Whether the host's address has become known since the last question, so that more may go out.
  func isNewlyFound() -> Bool {
    guard let pioneers, pioneers.contains(where: { $0.easy?.isConnected ?? false }) else {
      return false
    }
    self.pioneers = nil
    return true
  }

  var isUnknown: Bool { pioneers != nil }

  /// This one is under way; its place, which tells the multi handle.
  func began(_ transfer: CurlTransfer) -> Int {
    activeCount += 1
    pioneers?.append(transfer)
    if let place = freePlaces.popLast() { return place }
    placeCount += 1
    return placeCount - 1
  }

  /// The one at that place is over.
  func ended(_ transfer: CurlTransfer?, at place: Int) {
    activeCount -= 1
    pioneers?.removeAll { $0 === transfer }
    if activeCount > 0 {
      freePlaces.append(place)
    } else {
      // So that what comes next is in the first handles again.
      placeCount = 0
      freePlaces = []
    }
  }

  /// The multi handle of a place, by its index. Streams of HTTP/2 are better off in one, where they
  /// can share connections.
  func multi(at place: Int) -> Int {
    firstMulti + (speaksHTTP2 ? 0 : place / CurlMultis.shareOfOrigin)
  }

  /// An exchange has been stopped: it has run out of time, or what came was not acceptable.
  /// Its connection, if it is one of HTTP/2, goes on for the sake of its other streams, and may be dead
  /// or full of what nobody reads: what begins from now on is kept away from it. (Of HTTP/1 curl closes
  /// it.)
  func stopped(_ easy: CurlEasy) {
    let mayBeShared = origin.isTLS ? usedHTTP2 != false : easy.route?.hasPriorKnowledge ?? false
    guard mayBeShared, easy.multi?.index == firstMulti else { return }
    firstMulti = (firstMulti + 1) % HostQueues.firstMultis
  }

  func append(_ transfer: CurlTransfer) {
    waiting.append(transfer)
  }

  /// For an exchange that has waited once already and was redirected here.
  func prepend(_ transfer: CurlTransfer) {
    if head > 0 {
      head -= 1
      waiting[head] = transfer
    } else {
      waiting.insert(transfer, at: 0)
    }
  }

  /// The next one that may go out now, taken out of the queue.
  func takeNext() -> CurlTransfer? {
    while head < waiting.count {
      guard let transfer = waiting[head], transfer.isWaiting else {
        skip()
        cancelledCount -= 1
        continue
      }
      guard hasRoom(for: transfer) else { return nil }
      skip()
      return transfer
    }
    return nil
  }

  /// One of the waiting was cancelled; it must say already that it does not wait any more.
  func waitingOneWasCancelled() {
    cancelledCount += 1
    // Sweeping once half is dead costs each cancellation a constant share.
    guard cancelledCount > waitingCount else { return }
    waiting = waiting[head...].filter { $0?.isWaiting ?? false }
    head = 0
    cancelledCount = 0
  }

  /// Takes out every waiting exchange.
  func takeAll() -> [CurlTransfer] {
    let all = waiting[head...].compactMap { $0 }.filter(\.isWaiting)
    waiting = []
    head = 0
    cancelledCount = 0
    return all
  }

  private func skip() {
    waiting[head] = nil
    head += 1
    if head == waiting.count {
      waiting.removeAll(keepingCapacity: waiting.count <= 1024)
      head = 0
    }
  }
}
