import CLullBridge
import LullCore

/// The object behind `resource:follow{ reduce = … }`: a script function computes the resource's
/// content from the items of a stream.
///
/// The userdata of this object is held until the stream has ended. Until then, it also keeps the
/// script alive. Home thread only.
final class LuaFollow {
  private unowned let callbacks: Callbacks
  private let reduce: Int64
  private let mutation: Int64?
  private let rowKey: Int64
  private(set) var follower: StreamFollower?
  private var hostHandle: UInt64 = 0
  private var waiters: [() -> Void] = []
  /// The object that records whether the script has handled the failure that ended the stream. It
  /// is nil if the stream did not fail, or if a call has already awaited the end of the stream.
  private var failure: RequestMark?
  private(set) var isOver = false

  /// Begins to follow the stream and returns the object for the script.
  static func begin(
    _ resource: Resource, _ arguments: StreamArguments, reduce: Int64, initial: Content?,
    _ call: Call
  ) throws(Misuse) -> LuaValue {
    let follow = LuaFollow(
      reduce: reduce, mutation: arguments.mutation, call.callbacks)
    let object = call.values.of(follow, .follow, service: resource.service, anchor: reduce)
    guard case .object(let handle, _, let service, _) = object,
      call.stored.pin(object: handle, .follow, service: service)
    else { throw .message("not enough memory") }
    follow.hostHandle = handle
    for id in [reduce, arguments.mutation].compactMap(\.self) {
      call.stored.anchor(id, from: handle)
    }
    if let initial { call.callbacks.hold(initial, from: handle) }
    call.loop.began(follow)
    resource.follow(
      arguments.options, from: initial,
      prepare: { follower in
        follow.follower = follower
        follower.stream.onRequest = { $0.mark.isWeak = true }
        follower.whenOver { [weak follow] in follow?.ended() }
      },
      reduce: { [unowned follow] in follow.reduced($0, $1) })
    return object
  }

  private init(
    reduce: Int64, mutation: Int64?, _ callbacks: Callbacks
  ) {
    self.reduce = reduce
    self.mutation = mutation
    self.callbacks = callbacks
    rowKey = callbacks.stored.makeID()
  }

  func stop() { follower?.stop() }

  // MARK: Reducing

  private func reduced(_ content: Content?, _ item: StreamItem) -> Result<Content, RequestError> {
    let url = follower?.stream.resource.url.text
    let omitsNulls = follower?.stream.resource.service.omitsNulls ?? false
    let values = [
      content.map {
        callbacks.values.content(
          $0, holder: hostHandle, omitsNulls: omitsNulls,
          own: OwnTables(callbacks.stored, omitsNulls: omitsNulls), from: url)
      } ?? .nil,
      callbacks.values.of(
        item, holder: hostHandle, key: rowKey, omitsNulls: omitsNulls, from: url),
    ]
    let answer = callbacks.coroutines.ask(
      Callable(id: reduce), values, kind: "reduce function of follow"
    ) { results -> Result<Content, Misuse> in
      guard results[0].kind != Int32(LULL_NIL) else {
        return .failure(.message("'reduce' of follow must return the new content, got nil"))
      }
      return Result { () throws(Misuse) in
        let content = try callbacks.stored.content(results[0], results.state, results.index(0))
        // The content is anchored now, while the function's results still hold it.
        callbacks.hold(content, from: hostHandle)
        return content
      }
    }
    switch answer {
    case .success(.success(let content)): return .success(content)
    case .success(.failure(let misuse)):
      return .failure(failed(callbacks.failure(misuse.text, of: reduce)))
    case .failure(.failed(let failure)): return .failure(failed(failure))
    case .failure(.gone): return .failure(.cancelled(at: callbacks.pump.clock.now))
    }
  }

  /// Returns the error with which the stream ends after the reduce function has failed. If the
  /// function raised a request error, that error is returned unchanged. Any other error is
  /// reported.
  private func failed(_ failure: ScriptFailure) -> RequestError {
    if let error = failure.requestError { return error }
    callbacks.reporter.report(
      failure, in: callbacks.stored.named("reduce function of follow", reduce))
    return RequestError(
      httpStatusCode: nil, entity: nil,
      cause: .script(
        ScriptErrorCause(
          userMessage: "Cannot read the stream", message: failure.message,
          traceback: failure.traceback, value: failure.value,
          thrown: failure.thrown)),
      timestamp: callbacks.pump.clock.now)
  }

  // MARK: End

  private func ended() {
    isOver = true
    callbacks.loop.ended(self)
    let waiters = waiters
    self.waiters = []
    if waiters.isEmpty, let follower, let error = follower.error {
      failure = callbacks.reporter.unhandled.note(error, following: follower.stream.resource)
    }
    for waiter in waiters { waiter() }
    for id in [rowKey, mutation].compactMap(\.self) {
      callbacks.stored.release(id, from: hostHandle)
    }
    callbacks.release(function: reduce, from: hostHandle)
    callbacks.stored.unpin(object: hostHandle)
  }

  /// Implements `await`, which waits for the end of the stream. It returns the content, or nil and
  /// the error.
  func await(_ call: Call) throws(Misuse) {
    guard let resource = follower?.stream.resource else { return }
    guard !isOver else {
      failure?.isHandled = true
      for value in outcome(resource) { call.return(value) }
      return
    }
    let what = "the end of the stream \(resource.displayName)"
    try callbacks.loop.wait(call, for: what) { completion in
      waiters.append { [weak self, pump = callbacks.pump] in
        pump.enqueueAfterPhase { if let self { completion(self.outcome(resource), false) } }
      }
      // If the wait is cancelled, the stream is stopped.
      return { [weak self] in self?.stop() }
    }
  }

  private func outcome(_ resource: Resource) -> [LuaValue] {
    let values = callbacks.values
    if let error = follower?.error { return [.nil, values.of(error, service: resource.service)] }
    return [values.content(of: resource)]
  }
}

extension ScriptValues {
  /// Returns an item of a stream as a Lua value. If the item is a row, the userdata with the handle
  /// `holder` keeps the row's Lua tables alive, under `key`, until the next row.
  func of(
    _ item: StreamItem, holder: UInt64, key: Int64, omitsNulls: Bool,
    from url: @autoclosure () -> String?
  ) -> LuaValue {
    switch item {
    case .event(let event): of(StreamEventBox(event, omitsNulls: omitsNulls), .streamEvent)
    case .row(let document):
      looped(
        content(
          .json(document), holder: holder, key: key, omitsNulls: omitsNulls, from: url()))
    }
  }
}
