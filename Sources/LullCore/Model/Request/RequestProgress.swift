internal import LullLibC

/// The progress of a request, from 0 to 1: an estimate that never decreases. (PRG-01 to PRG-23)
///
/// The estimate is the weighted mean of four parts: waiting for the connection, upload, waiting for
/// the response, and download. When new information would make the estimate jump, the estimate
/// keeps its value, and the remaining progress is rescaled.
package struct RequestProgress: Sendable {
  /// The last estimate of the progress.
  package private(set) var value = 0.0

  private var upload = Transfer(estimate: 8192)
  private var download = Transfer(estimate: 65536)
  private var connecting = Wait(estimate: 2.5)
  private var responding = Wait(estimate: 1.2)
  /// The ratio of two differences: 1 minus the estimate, divided by 1 minus the weighted mean.
  private var scale = 1.0
  /// The weighted mean (`raw`) and the estimate (`value`) when the estimate was last held in place
  /// of a jump. As long as the mean is the same, exactly this estimate is returned, without
  /// rounding errors.
  private var held = (raw: 0.0, value: 0.0)

  package init() {}

  /// Updates and returns the estimate. Processes totals first, then byte counts, then waiting
  /// times. A new total, or the end of a waiting time, does not change the estimate. The first poll
  /// starts the clock. (PRG-21, PRG-22)
  ///
  /// - Parameters:
  ///   - isGet: Whether the final method is GET, which has a download but no upload. Must not
  ///     change between polls.
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
    // Rounding must not change a value that is held, and the value must not reach 1 before the end.
    // (PRG-07, PRG-08)
    var new = raw == held.raw ? held.value : 1 - (1 - raw) * scale
    if !isFinished { new = min(new, 1.0.nextDown) }
    // A provider may count from zero again, for example after a redirect. (PRG-25)
    value = max(value, new)
  }

  /// Returns the weighted mean, and whether all parts whose weight is not 0 have ended. (PRG-18)
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
  /// Returns the completed fraction of a part (such as the download) whose total is unknown. The
  /// fraction is 3/4 when `done` equals the estimate, and never reaches 1. (PRG-19)
  private static func approach(_ done: Double, estimate: Double) -> Double {
    1 - exp2(-2 * done / estimate)
  }

  private struct Transfer: Sendable {
    let estimate: Double
    /// The total number of bytes; nil while it is unknown. (PRG-20)
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
/// The number is a member of the class, and the sequence is a member of this protocol. If the
/// context accepts both, the number is used.
public protocol ProgressSource: AnyObject {
  /// The progress as a sequence for `for await`: the present value, then each change, and finally
  /// 1.
  ///
  ///     for await part in request.progress { show(part) }
  var progress: RequestProgressValues { get }
}

extension Request: ProgressSource {}

extension ProgressSource where Self: Request {
  public var progress: RequestProgressValues { RequestProgressValues(self) }
}

/// A sequence with the progress of a request, from 0 to 1: the present value, then each change, and
/// finally 1, whatever the outcome. If the progress changes several times between two steps of the
/// loop, only the last value is delivered. The same value is never delivered twice in a row.
///
/// The request is polled only while the loop runs. If the request has not been started, the loop
/// waits for its start. If its task is cancelled or the home ends, the loop ends early, without the
/// final 1. Cancelling the task does not affect the request. The loop runs on the actor that is the
/// home of the request. Lua: `request:on_progress`.
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
