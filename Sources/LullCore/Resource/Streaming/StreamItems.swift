import LullSystem

/// The items of a stream, for a loop on the actor that is the stream's home.
///
/// Cancelling the task that waits for one ends the stream; leaving the loop does once nobody holds it. Of
/// a home that has ended, or ends meanwhile, it throws `requestCancelled`.
///
///     for try await item in api.resource("/events").events().items { … }
public struct StreamItems: AsyncSequence {
  /// An event, or a row.
  public typealias Element = StreamItem
  /// What ended the stream before its end.
  public typealias Failure = RequestError

  /// What a loop asks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let stream: EventStream

    /// Waits for the next item; nil when there are no more.
    ///
    /// - Throws: What fails the stream, once, as the last thing.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws(RequestError) -> StreamItem? {
      while true {
        guard !stream.resource.pump.ending.hasEnded else { throw stream.endOfHome }
        switch stream.next() {
        case .item(let item): return item
        case .end: return nil
        case .failure(let error): throw error
        case .wait:
          // The first would never go on.
          if stream.isAwaited { ProgramMisuse.stopTwoReaders(of: "stream.items") }
          await stream.ready(isolation: isolation)
        }
      }
    }
  }

  let stream: EventStream

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }
}

extension EventStream {
  /// For `for try await`.
  public var items: StreamItems { StreamItems(stream: self) }

  /// Waits until there may be more to say.
  fileprivate func ready(isolation: isolated (any Actor)?) async {
    let pump = resource.pump
    // Only the signal leaves the home thread: a task may be cancelled on any.
    let cancellation = pump.signal { [weak self] in self?.stop() }
    defer { pump.discard(cancellation) }
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    let wait = Readiness()
    let ending = pump.ending.add { wait.end() }
    await withTaskCancellationHandler {
      // Named, or the closure would leave the caller's actor.
      _ = isolation
      await withCheckedContinuation { continuation in
        wait.continuation = continuation
        guard !pump.ending.hasEnded else { return wait.end() }
        whenReady { wait.end() }
      }
    } onCancel: {
      cancellation()
    }
    pump.ending.remove(ending)
  }

  fileprivate var endOfHome: RequestError {
    var error = RequestError.cancelled(at: resource.pump.clock.now)
    error.userMessage = "Stream cancelled: its home has ended"
    return error
  }

  private final class Readiness {
    var continuation: CheckedContinuation<Void, Never>?

    func end() {
      continuation?.resume()
      continuation = nil
    }
  }
}
