import CUV
import LullCore

/// Checks periodically whether an exchange makes progress, and reports if it has stalled for too
/// long.
///
/// The time counts from the moment when there is a connection. The watch checks ten times within
/// the shorter of its timeouts: it may notice a stall a tenth of the timeout too late, but never
/// too early. The watch ends with the hop for which it was made.
final class ExchangeWatch {
  private unowned let easy: CurlEasy
  private let loop: EventLoop
  private let host: String
  private let firstByteTimeout: Double?
  private let idleTimeout: Double?
  private let action: (TransportError) -> Void
  private var timer: (any HostTimer)?
  /// The time of the last progress, and the number of bytes moved until then; nil before there is a
  /// connection.
  private var last: (time: UInt64, bytes: Int)?
  /// When the whole request was sent; nil before that.
  private var sentAt: UInt64?

  /// Returns nil if the options set neither a first-byte timeout nor an idle timeout. `action` is
  /// called at most once.
  init?(
    _ options: TransferOptions, _ easy: CurlEasy, at origin: Origin, on loop: EventLoop,
    action: @escaping (TransportError) -> Void
  ) {
    firstByteTimeout = options.firstByteTimeout
    idleTimeout = options.idleTimeout.flatMap { $0.isFinite ? $0 : nil }
    guard firstByteTimeout != nil || idleTimeout != nil else { return nil }
    self.easy = easy
    self.loop = loop
    self.action = action
    host = origin.hostAndPort
    waitForNextLook()
  }

  deinit {
    timer?.cancel()
  }

  private func waitForNextLook() {
    let shortest = min(firstByteTimeout ?? .infinity, idleTimeout ?? .infinity)
    timer = loop.schedule(after: min(max(shortest / 10, 0.001), 1)) { [weak self] in self?.look() }
  }

  private func look() {
    timer = nil
    guard easy.isConnected else { return waitForNextLook() }
    let now = uv_hrtime()
    let bytes = easy.movedBytes
    // The server is not silent while the receiver is paused.
    if last?.bytes != bytes || easy.isPaused { last = (now, bytes) }
    if sentAt == nil, easy.hasSentAll { sentAt = now }
    if let error = verdict(now) { action(error) } else { waitForNextLook() }
  }

  private func verdict(_ now: UInt64) -> TransportError? {
    func seconds(since time: UInt64) -> Double { Double(now - time) / 1e9 }
    if let firstByteTimeout, let sentAt, !easy.hasAnswer, seconds(since: sentAt) >= firstByteTimeout
    {
      let limit = CurlErrorMapping.seconds(firstByteTimeout)
      return TransportError(
        .timeout, "no byte of a response from \(host) within \(limit) (first_byte_timeout)")
    }
    if let idleTimeout, let last, seconds(since: last.time) >= idleTimeout {
      let limit = CurlErrorMapping.seconds(idleTimeout)
      return TransportError(
        .timeout,
        "no data was sent or received in the exchange with \(host) for \(limit) (idle_timeout)")
    }
    return nil
  }
}
