import LullCore

/// The iterator of `resource:watch{…}`, which polls a resource and returns each content that
/// differs from the previous one.
///
/// The iterator works only while the script calls it. Between two calls it has no timer and no
/// observer, so nothing has to be freed. Home thread only.
final class LuaWatch {
  private unowned let callbacks: Callbacks
  private let progress: WatchProgress
  /// The ID of the script's `until_` function, which decides whether the watch ends; nil without
  /// such a function.
  private let until: Int64?
  /// The handle of the iterator's userdata, which holds the function and the current content.
  var hostHandle: UInt64 = 0
  /// Completes the call that waits for the next change; nil if no call is waiting.
  private var pending: WaitCompletion?
  /// Whether the `until_` function is being called with the results of the waiting call.
  private var isDeciding = false

  private enum Outcome {
    case give([LuaValue])
    case raise(LuaValue)
  }

  init(
    _ resource: Resource, _ options: WatchProgress.Options, until: Int64?,
    _ callbacks: Callbacks
  ) {
    self.callbacks = callbacks
    self.until = until
    progress = WatchProgress(resource, options) { [loop = callbacks.loop, pump = callbacks.pump] in
      let timer = StrongTimer(after: $0, loop, pump, $1)
      return { timer.cancel() }
    } areSame: { [unowned callbacks] in
      callbacks.areSame($0, $1)
    }
  }

  /// The watched resource, or nil once the watch has ended.
  var resource: Resource? { progress.resource }

  /// Returns the content and the resource to the script, immediately or after a wait. Returns nil
  /// once the watch has ended.
  func next(_ call: Call) throws(Misuse) {
    guard pending == nil else {
      throw .message("another coroutine is already waiting for this watch")
    }
    guard let resource else { return call.return(.nil) }
    if let step = progress.look() {
      switch outcome(of: step, resource) {
      case .give(let values):
        for value in values { call.return(value) }
        return
      case .raise(let value): throw .value(value)
      }
    }
    // The text is computed now, because a closure that captures the resource would keep it alive
    // during the wait.
    let what = "a change of \(resource.displayName)"
    try callbacks.loop.wait(call, for: what, Awaited(loading: resource)) { completion in
      pending = completion
      progress.wait { [weak self, weak resource] step in
        if let self, let resource { complete(outcome(of: step, resource)) }
      }
      return { [weak self] in
        self?.pending = nil
        self?.progress.leave()
      }
    }
  }

  /// Ends the watch. A waiting call returns nil.
  func stop() {
    guard resource != nil else { return }
    if let pending, !isDeciding {
      self.pending = nil
      callbacks.pump.enqueue { pending([.nil], false) }
    }
    end()
  }

  private func end() {
    progress.end()
    callbacks.release(function: until, from: hostHandle)
  }

  /// Completes the waiting call with an outcome.
  private func complete(_ outcome: Outcome) {
    let pending = pending
    self.pending = nil
    switch outcome {
    case .give(let values): pending?(values, false)
    case .raise(let value): pending?([value], true)
    }
  }

  private func outcome(of step: WatchProgress.Step, _ resource: Resource) -> Outcome {
    switch step {
    case .give(let entity): return give(entity.content, of: resource)
    case .end:
      end()
      return .give([.nil])
    case .fail(let error):
      end()
      return .raise(callbacks.values.of(error, service: resource.service))
    }
  }

  private func give(_ content: Content, of resource: Resource) -> Outcome {
    callbacks.hold(content, from: hostHandle)
    let scriptValues = callbacks.values
    let values = [
      scriptValues.looped(scriptValues.content(of: resource)), scriptValues.of(resource),
    ]
    guard let until else { return .give(values) }
    isDeciding = true
    defer { isDeciding = false }
    let answer = callbacks.coroutines.ask(
      Callable(id: until), values, kind: "until_ function of watch"
    ) { $0[0].isTruthy }
    switch answer {
    case .success(let isDone):
      if isDone { end() }
      return .give(values)
    case .failure(.failed(let failure)):
      end()
      return .raise(callbacks.values.reraised(failure))
    case .failure(.gone):
      end()
      return .give(values)
    }
  }
}
