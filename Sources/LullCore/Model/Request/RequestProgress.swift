internal import LullLibC

/// The progress of a request, from 0 to 1: an estimate that never decreases. (PRG-01 to PRG-23)
///
/// It is the weighted mean of four parts: waiting for the connection, upload, waiting for the
/// response, and download. When new information would make the estimate jump, the value is held,
/// and the remaining progress is rescaled.
package struct RequestProgress: Sendable {
  /// The last value.
  package private(set) var value = 0.0

  private var upload = Transfer(estimate: 8192)
  private var download = Transfer(estimate: 65536)
  private var connecting = Wait(estimate: 2.5)
  private var responding = Wait(estimate: 1.2)
  /// The ratio of the remaining progress as shown to the remaining progress by the weighted mean.
  private var scale = 1.0
  /// The weighted mean at the last hold, and the value that was shown then. For exactly that mean,
  /// exactly that value is shown.
  private var held = (raw: 0.0, value: 0.0)

  package init() {}

  /// Updates the estimate, in this order: totals (held), byte counts, waiting times (held). The
  /// first poll starts the clock. (PRG-21, PRG-22)
  ///
  /// - Parameters:
  ///   - isGet: Whether the final method is GET, for which a download is expected and no upload.
  ///     Must not change between polls.
  ///   - now: The time, in seconds.
  package mutating func poll(_ metrics: RequestTransferMetrics, isGet: Bool, now: Double) -> Double
  {
    guard value < 1 else { return 1 }
    hold(isGet) { progress in
      progress.upload.total = RequestProgress.known(metrics.requestBytesTotal)
      progress.download.total = RequestProgress.known(metrics.responseBytesTotal)
    }

    upload.done = Double(metrics.requestBytesSent)
    download.done = Double(metrics.responseBytesReceived)
    update(isGet)

    let hasResponse = metrics.responseBytesReceived > 0
    if hasResponse || metrics.requestBytesSent > 0 {
      hold(isGet) { $0.connecting.finish() }
    } else {
      connecting.tick(now)
    }
    if hasResponse {
      hold(isGet) { $0.responding.finish() }
    } else if metrics.requestBytesSent > 0, metrics.requestBytesSent == metrics.requestBytesTotal {
      responding.tick(now)
    }
    update(isGet)
    return value
  }

  /// Sets the progress to 1 when the request has ended, whatever the outcome. (PRG-01)
  package mutating func complete() {
    value = 1
  }

  private static func known(_ total: Int?) -> Double? {
    guard let total, total > 0 else { return nil }
    return Double(total)
  }

  private mutating func hold(_ isGet: Bool, _ change: (inout RequestProgress) -> Void) {
    let before = raw(isGet).value
    change(&self)
    let after = raw(isGet).value
    guard after != before, after != 1 else { return }
    scale = (1 - value) / (1 - after)
    held = (after, value)
  }

  private mutating func update(_ isGet: Bool) {
    let (raw, isFinished) = raw(isGet)
    // Rounding must neither change a value that is held nor reach 1 before the end. (PRG-07,
    // PRG-08)
    var new = raw == held.raw ? held.value : 1 - (1 - raw) * scale
    if !isFinished { new = min(new, 1.0.nextDown) }
    // A provider may count from zero again, for example after a redirect. (PRG-25)
    value = max(value, new)
  }

  /// The weighted mean, and whether all parts with a weight have ended. (PRG-18)
  private func raw(_ isGet: Bool) -> (value: Double, isFinished: Bool) {
    let parts: (Double, Double, Double, Double) = (
      connecting.fraction, upload.fraction, responding.fraction, download.fraction
    )
    let weights = isGet ? (0.3, 0.0, 0.3, 1.0) : (0.3, 1.0, 0.3, 0.1)
    let sum =
      parts.0 * weights.0 + parts.1 * weights.1 + parts.2 * weights.2 + parts.3 * weights.3
    let isFinished =
      connecting.isFinished && (isGet || upload.isFinished) && responding.isFinished
      && download.isFinished
    return (sum / (weights.0 + weights.1 + weights.2 + weights.3), isFinished)
  }
}

// MARK: - Parts

extension RequestProgress {
  /// Reaches three quarters at the estimate, and never the end. (PRG-19)
  private static func approach(_ done: Double, estimate: Double) -> Double {
    1 - exp2(-2 * done / estimate)
  }

  private struct Transfer: Sendable {
    let estimate: Double
    /// nil while unknown. (PRG-20)
    var total: Double?
    var done = 0.0

    init(estimate: Double) {
      self.estimate = estimate
    }

    var fraction: Double {
      guard let total else { return approach(max(0, done), estimate: estimate) }
      return min(1, max(0, done / total))
    }

    var isFinished: Bool { total.map { done >= $0 } ?? false }
  }

  private struct Wait: Sendable {
    let estimate: Double
    private var start: Double?
    private var seconds = 0.0
    private(set) var isFinished = false

    init(estimate: Double) {
      self.estimate = estimate
    }

    var fraction: Double { isFinished ? 1 : approach(seconds, estimate: estimate) }

    mutating func tick(_ now: Double) {
      guard !isFinished else { return }
      if let start { seconds = max(seconds, now - start) } else { start = now }
    }

    mutating func finish() { isFinished = true }
  }
}

/// An object whose `progress` can be read as a number and iterated with a loop.
///
/// The number is a member of the class, the sequence a member of this protocol. If the context does
/// not decide between them, the number is used.
public protocol ProgressSource: AnyObject {
  /// The progress for `for await`: the present value, then each change, and finally 1.
  ///
  ///     for await part in request.progress { show(part) }
  var progress: RequestProgressValues { get }
}

extension Request: ProgressSource {}

extension ProgressSource where Self: Request {
  public var progress: RequestProgressValues { RequestProgressValues(self) }
}

/// The progress of a request, from 0 to 1: the present value, then each change, and finally 1,
/// whatever the outcome. Of several changes between two steps of the loop, only the last is
/// delivered. The same value never comes twice in a row.
///
/// The request is polled only while the loop runs. If the request has not been started, the loop
/// waits for its start. The loop ends early, without the 1, when its task is cancelled, which does
/// not affect the request, and when the home ends. It runs on the actor that is the home of the
/// request. Lua: `request:on_progress`.
public struct RequestProgressValues: AsyncSequence {
  public typealias Element = Double
  public typealias Failure = Never

  private let request: Request

  init(_ request: Request) { self.request = request }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(request) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: FeedReader<Double>
    private var last: Double?

    fileprivate init(_ request: Request) {
      let feed = Feed<Double>(request.pump, of: "request.progress") { waiting, progress in
        waiting = [progress]
      } start: { feed in
        feed.push(request.progress)
        request.onProgress(
          { [weak feed, unowned request] progress in
            feed?.push(progress)
            if request.isCompleted { feed?.finish() }
          }, whileWanted: { [weak feed] in feed?.isOver == false })
        return {}
      }
      reader = FeedReader(feed)
    }

    public mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Double? {
      while let progress = await reader.feed.next(isolation: isolation) {
        guard progress != last else { continue }
        last = progress
        return progress
      }
      return nil
    }
  }
}
