import LullCore
import LullLibC

/// The queues of all origins, by URL.
final class HostQueues {
  private static let maxIdle = 256
  /// Each origin is assigned a first multi handle. `originsPerMulti` is the number of origins with
  /// the same first handle. `firstMultis` is the number of multi handles that are first handles.
  private static let originsPerMulti = 8
  static let firstMultis = 32

  private var madeCount = 0
  /// Queues in which exchanges may wait until the host's address is known.
  private var unknown: [HostQueue] = []

  private var queues: [Origin: HostQueue] = [:]
  /// The last result of `queue(for:)`, and the prefix of the URL for which it was returned.
  private var last: HostQueue?
  private var lastPrefix: [UInt8] = []

  /// Returns nil if `url` is not an absolute http or https URL.
  func queue(for url: String) -> HostQueue? {
    guard !HostQueues.containsZero(url) else { return nil }
    if let last, hasLastPrefix(url) { return last }
    guard let origin = Origin(of: url) else { return nil }
    let queue = queue(for: origin)
    last = queue
    lastPrefix = HostQueues.prefix(of: url)
    return queue
  }

  func queue(for origin: Origin) -> HostQueue {
    if let queue = queues[origin] { return queue }
    if queues.count >= HostQueues.maxIdle {
      queues = queues.filter { !$0.value.isIdle }
      last = nil
    }
    let first = madeCount / HostQueues.originsPerMulti % HostQueues.firstMultis
    madeCount += 1
    let queue = HostQueue(origin: origin, firstMulti: first)
    queues[origin] = queue
    return queue
  }

  /// Called before another exchange of `queue` begins. If the host's address is unknown,
  /// `takeFound` returns the queue later.
  func watch(_ queue: HostQueue) {
    if queue.isUnknown, queue.activeCount == 0 { unknown.append(queue) }
  }

  /// Returns the queues whose addresses have become known since the last call, so that more
  /// exchanges may be sent.
  func takeFound() -> [HostQueue] {
    guard !unknown.isEmpty else { return [] }
    let found = unknown.filter { $0.isNewlyFound() }
    unknown.removeAll { !$0.isUnknown || $0.activeCount == 0 }
    return found
  }

  /// The number of exchanges that wait in the queues of all origins.
  var waitingCount: Int { queues.values.reduce(0) { $0 + $1.waitingCount } }

  /// Removes and returns all waiting exchanges.
  func takeAllWaiting() -> [CurlTransfer] {
    queues.values.flatMap { $0.takeAll() }
  }

  /// Whether the URL contains a zero byte, which would truncate it in C.
  private static func containsZero(_ url: String) -> Bool {
    var url = url
    return url.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return false }
      return memchr(start, 0, bytes.count) != nil
    }
  }

  /// Returns scheme and authority as bytes. URLs with the same prefix have the same origin.
  private static func prefix(of url: String) -> [UInt8] {
    var slashes = 0
    return Array(
      url.utf8.prefix { byte in
        if byte == UInt8(ascii: "/") { slashes += 1 }
        return slashes < 3 && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
      })
  }

  private func hasLastPrefix(_ url: String) -> Bool {
    var url = url
    return url.withUTF8 { bytes in
      guard let start = bytes.baseAddress, bytes.count >= lastPrefix.count,
        memcmp(start, lastPrefix, lastPrefix.count) == 0
      else { return false }
      guard bytes.count > lastPrefix.count else { return true }
      let next = bytes[lastPrefix.count]
      return next == UInt8(ascii: "/") || next == UInt8(ascii: "?") || next == UInt8(ascii: "#")
    }
  }
}

extension HostQueues: CountedPart {
  func add(to statistics: inout HomeStatistics) { statistics.requestsQueued += waitingCount }
}
