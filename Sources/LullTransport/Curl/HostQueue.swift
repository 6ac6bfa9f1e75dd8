import LullCore

/// The exchanges with one origin: the number of active exchanges, and the queue of waiting
/// exchanges.
///
/// A waiting exchange uses one slot of the queue and no curl handle. Exchanges are sent in the
/// order in which they arrive.
final class HostQueue {
  /// The maximum number of streams of one HTTP/2 connection: curl's own limit, so that one
  /// connection carries them all.
  private static let maxStreams = 100

  /// The maximum number of active exchanges while the host's address is unknown. Each of them
  /// resolves the address on its own thread.
  private static let maxLookUps = 16

  let origin: Origin
  /// The index of the queue's first multi handle in the provider's list of multi handles.
  private var firstMulti: Int
  /// Whether the last response came over HTTP/2; nil before the first.
  var usedHTTP2: Bool?
  var speaksHTTP2: Bool { usedHTTP2 ?? false }
  private(set) var activeCount = 0

  /// The active exchanges while the host's address is unknown; nil once the address is known.
  private var pioneers: [CurlTransfer]?
  /// Each active exchange has a place, which is a number. `placeCount` is the number of places so
  /// far. `freePlaces` contains the places that are free. The place that became free last is at the
  /// end, because its connection is the most likely to be open.
  private var placeCount = 0
  private var freePlaces: [Int] = []

  private var waiting: [CurlTransfer?] = []
  private var head = 0
  /// The number of slots whose exchanges were cancelled while waiting. These slots are removed
  /// together.
  private var cancelledCount = 0

  init(origin: Origin, firstMulti: Int) {
    self.origin = origin
    self.firstMulti = firstMulti
    pioneers = origin.isNumeric ? nil : []
  }

  var waitingCount: Int { waiting.count - head - cancelledCount }

  var isIdle: Bool { activeCount == 0 && waitingCount == 0 }

  /// Whether another exchange may be sent now, by the limits of its request.
  func hasRoom(for transfer: CurlTransfer) -> Bool {
    let connections = max(1, transfer.request.limits.connectionsPerHost)
    let shares = speaksHTTP2 && transfer.request.options?.connection.httpVersion != .http1
    let room = shares ? max(connections, HostQueue.maxStreams) : connections
    return activeCount < (pioneers == nil ? room : min(room, HostQueue.maxLookUps))
  }

  /// Whether the host's address has become known since the last call, so that more exchanges may be
  /// sent.
  func isNewlyFound() -> Bool {
    guard let pioneers, pioneers.contains(where: { $0.easy?.isConnected ?? false }) else {
      return false
    }
    self.pioneers = nil
    return true
  }

  var isUnknown: Bool { pioneers != nil }

  /// Records that an exchange is active. Returns the place of the exchange, which determines the
  /// multi handle.
  func began(_ transfer: CurlTransfer) -> Int {
    activeCount += 1
    pioneers?.append(transfer)
    if let place = freePlaces.popLast() { return place }
    placeCount += 1
    return placeCount - 1
  }

  /// Records that the exchange at that place has ended.
  func ended(_ transfer: CurlTransfer?, at place: Int) {
    activeCount -= 1
    pioneers?.removeAll { $0 === transfer }
    if activeCount > 0 {
      freePlaces.append(place)
    } else {
      // Later exchanges then use the first handles again.
      placeCount = 0
      freePlaces = []
    }
  }

  /// Returns the index of the multi handle for a place. All HTTP/2 streams use the same handle, in
  /// which they can share connections.
  func multi(at place: Int) -> Int {
    firstMulti + (speaksHTTP2 ? 0 : place / CurlMultis.shareOfOrigin)
  }

  /// Handles an exchange that was stopped, by a timeout or an unacceptable response. An HTTP/2
  /// connection stays open for its other streams, but may be dead or full of unread data, so later
  /// exchanges avoid it. (curl closes an HTTP/1 connection.)
  func stopped(_ easy: CurlEasy) {
    let mayBeShared = origin.isTLS ? usedHTTP2 != false : easy.route?.hasPriorKnowledge ?? false
    guard mayBeShared, easy.multi?.index == firstMulti else { return }
    firstMulti = (firstMulti + 1) % HostQueues.firstMultis
  }

  func append(_ transfer: CurlTransfer) {
    waiting.append(transfer)
  }

  /// Adds an exchange at the front of the queue, because the exchange has already waited once. It
  /// is sent again, or was redirected to this origin.
  func prepend(_ transfer: CurlTransfer) {
    if head > 0 {
      head -= 1
      waiting[head] = transfer
    } else {
      waiting.insert(transfer, at: 0)
    }
  }

  /// Removes and returns the next exchange that may be sent now.
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

  /// Records that a waiting exchange was cancelled. Its state must have changed before.
  func waitingOneWasCancelled() {
    cancelledCount += 1
    // Cancelled exchanges are removed together when they are more than half, so that the cost of
    // each cancellation is constant.
    guard cancelledCount > waitingCount else { return }
    waiting = waiting[head...].filter { $0?.isWaiting ?? false }
    head = 0
    cancelledCount = 0
  }

  /// Removes and returns all waiting exchanges.
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
