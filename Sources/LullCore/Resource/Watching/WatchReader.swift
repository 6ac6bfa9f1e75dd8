import LullSystem

/// One loop's way through a watch: waits as a task does, and lets go with the loop.
final class WatchReader {
  private static let name = "resource.watch"

  let progress: WatchProgress
  private let resource: Resource

  init(_ resource: Resource, _ options: WatchProgress.Options) {
    self.resource = resource
    progress = WatchProgress(resource, options) { [pump = resource.pump] seconds, action in
      let timer = pump.clock.schedule(after: seconds) { pump.enqueue(action) }
      return { timer.cancel() }
    } areSame: {
      $0.holdsSame(as: $1) { _, _ in false }
    }
  }

  deinit {
    // Called where nothing else may be called: the load is let go a turn later.
    guard progress.resource != nil else { return }
    resource.pump.enqueue { [progress] in progress.end() }
  }

  func next(isolation: isolated (any Actor)?) async throws(RequestError) -> Entity? {
    guard progress.resource != nil else { return nil }
    if progress.isWaiting { ProgramMisuse.stopTwoReaders(of: WatchReader.name) }
    // The load of a resource that waits for the transformer which watches it never ends.
    if let transformer = PumpTask.current(on: resource.pump) {
      for load in resource.loadRequests {
        guard let error = transformer.refusal(toAwait: load) else { continue }
        progress.end()
        throw error
      }
    }
    guard !Task.isCancelled, !resource.pump.ending.hasEnded, let step = await step(isolation) else {
      progress.end()
      // Whoever tries for ever must let others run.
      await Task.yield()
      throw cancellation()
    }
    switch step {
    case .give(let entity): return entity
    case .fail(let error): throw error
    case .end: return nil
    }
  }

  /// nil: the task is cancelled, or the home ends.
  private func step(_ isolation: isolated (any Actor)?) async -> WatchProgress.Step? {
    if let step = progress.look() { return step }
    let feed = Feed<WatchProgress.Step>(resource.pump, of: WatchReader.name) { waiting, step in
      waiting = [step]
    } start: { [progress] feed in
      progress.wait { [weak feed] step in
        feed?.push(step)
        feed?.finish()
      }
      return { progress.detach() }
    }
    return await feed.next(isolation: isolation)
  }

  private func cancellation() -> RequestError {
    var error = RequestError.cancelled(at: resource.pump.clock.now)
    error.method = .get
    error.url = resource.url.text
    if resource.pump.ending.hasEnded {
      error.userMessage = "Watch cancelled: its home has ended"
    }
    return error
  }
}
