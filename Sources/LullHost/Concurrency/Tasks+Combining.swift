import CLullBridge
import LullCore

/// The functions that wait for several requests, tasks or function calls, or that limit the time of
/// a call: `lull.all`, `any`, `map`, `timeout` and `wait_until`.
extension Tasks {
  // MARK: lull.all, lull.any

  /// Implements `lull.all(list)` and `lull.any(list)`.
  func gather(_ call: Call, _ kind: Gathering.Kind) throws(Misuse) {
    let items = try awaitedItems(call)
    guard !items.isEmpty else {
      guard kind == .all else {
        throw .argument(1, "the list is empty: nothing could succeed")
      }
      return call.return(.list([]))
    }
    let gathering = Gathering(kind, items, stored, self, pump)
    let words = "lull.\(kind.rawValue) of \(items.count) requests or tasks"
    try loop.wait(call, for: words, gathering.awaited) { completion in
      gathering.begin { [unowned self] decision in
        let (values, raising) = values(of: decision, kind)
        // As with every await, the caller resumes after the hooks of this turn have run.
        pump.enqueueAfterPhase { completion(values, raising) }
      }
      return { gathering.cancel() }
    }
  }

  private func values(of decision: Gathering.Decision, _ kind: Gathering.Kind) -> (
    [LuaValue], Bool
  ) {
    switch decision {
    case .results(let items):
      let results = items.map(result)
      return (kind == .all ? [.list(results)] : results, false)
    case .failure(.raised(let failure)): return ([values.reraised(failure)], true)
    case .failure(.failure(let error)): return ([.nil, values.of(error, service: nil)], false)
    case .failure(.returned(let id)): return ([.nil, .element(of: id, 2)], false)
    case .failure:
      return ([.nil, values.of(RequestError.cancelled(at: pump.clock.now), service: nil)], false)
    }
  }

  /// Returns the first of the values that `await` would return for an item. The item must have
  /// succeeded.
  private func result(of item: AwaitedItem) -> LuaValue {
    switch item {
    case .request(let request): return values.awaited(request)[0]
    case .task(let task):
      if case .finished(let id, _) = task.state { return .element(of: id, 1) }
      return .nil
    }
  }

  /// Reads the list of requests and tasks in the first argument.
  private func awaitedItems(_ call: Call) throws(Misuse) -> [AwaitedItem] {
    var items: [Int64: AwaitedItem] = [:]
    try LuaTable(call.index(0), in: call.state).forEachField { key, value throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER) else {
        throw .argument(
          1,
          "a list of requests and tasks expected, got a table with the key "
            + key.described)
      }
      if let request = handles.object(value, .request, as: Request.self) {
        items[key.integer] = .request(request)
      } else if let task = handles.object(value, .task, as: LuaTask.self) {
        items[key.integer] = .task(task)
      } else {
        let isFunction = value.kind == Int32(LULL_FUNCTION)
        throw .argument(
          1,
          "element \(key.integer) must be a Request or a Task, got "
            + value.typeName
            + (isFunction ? " (lull.spawn makes a task of a function)" : ""))
      }
    }
    var list: [AwaitedItem] = []
    while list.count < items.count {
      let position = Int64(list.count) + 1
      guard let item = items[position] else {
        throw .argument(1, "element \(position) of the list is missing")
      }
      list.append(item)
    }
    return list
  }

  // MARK: lull.map

  /// Implements `lull.map(list, fn, { concurrency = 8, progress = true })`.
  func map(_ call: Call) throws(Misuse) {
    var concurrency = 8
    var label: String?
    if !call.isNil(2) {
      try call.reading.options.forEach(
        of: call.index(2), in: call.state, known: ["concurrency", "progress"]
      ) { name, value throws(Misuse) in
        if name == "progress" {
          label = try ProgressBars.label(value)
          return
        }
        guard let number = value.wholeNumber, number >= 1 else {
          throw .message(
            "'\(name)' must be a whole number, 1 or more, got "
              + value.described)
        }
        concurrency = number
      }
    }
    let count = Int(lull_table_length(call.state, call.index(0)))
    let held = try pinned(call, [1, 0])
    let results = stored.makeID()
    guard lull_value_bundle(bridge.pointer, [], 0, results) == 0 else {
      stored.unpinSoon(held)
      throw .message("not enough memory")
    }
    stored.adopt(results)
    let map = ConcurrentMap(
      function: held[0], list: held[1], results: results, count: count,
      concurrency: concurrency, call)
    map.progress = label.map { loop.session.progress.begin(total: Double(count), label: $0) }
    try waitForRuns(call, "lull.map over \(count) elements", map.scope, held + [results]) {
      completion in
      map.begin { [unowned self] decision in
        switch decision {
        case .results(let id): completion([.ref(id)], false)
        case .failure(let id):
          stored.adopt(id)
          stored.unpinSoon([id])
          completion([.nil, .element(of: id, 2)], false)
        case .cancelled:
          completion(
            [.nil, values.of(RequestError.cancelled(at: pump.clock.now), service: nil)], false)
        case .raised(let failure): completion([values.reraised(failure)], true)
        case .noMemory: completion([.string("not enough memory")], true)
        }
      }
      return { map.cancel() }
    }
  }

  // MARK: lull.timeout, lull.wait_until

  /// Implements `lull.timeout(s, fn)`.
  func timeout(_ call: Call) throws(Misuse) {
    let seconds = try call.raw(0).seconds { .argument(1, $0) }
    let held = try pinned(call, [1])
    let scope = RunScope(coroutines, self)
    try waitForRuns(call, "lull.timeout(\(seconds.luaText))", scope, held) { completion in
      var timer: (any HostTimer)?
      var isOver = false
      let finish = { (values: [LuaValue], raising: Bool) in
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        scope.end()
        completion(values, raising)
      }
      timer = pump.clock.schedule(after: seconds) { [unowned self] in
        pump.enqueue { [unowned self] in
          // The function may have ended since the timer fired. An error value created now would
          // then have no owner.
          guard !isOver else { return }
          finish([.nil, values.of(timeoutError("lull.timeout", seconds), service: nil)], false)
        }
      }
      pump.enqueue { [unowned self] in
        guard !isOver else { return }
        scope.run(held[0], [], as: "function given to lull.timeout") { [unowned self] outcome in
          let (values, raising) = values(of: outcome)
          finish(values, raising)
        }
      }
      return {
        isOver = true
        timer?.cancel()
        scope.end()
      }
    }
  }

  /// Implements `lull.wait_until(fn, { every = 0.5, timeout = })`.
  func waitUntil(_ call: Call) throws(Misuse) {
    var every = 0.5
    var limit: Double?
    if !call.isNil(1) {
      try call.reading.options.forEach(
        of: call.index(1), in: call.state, known: ["every", "timeout"]
      ) {
        name, value throws(Misuse) in
        let seconds = try value.seconds {
          .message("'\(name)': \($0)")
        }
        if name == "every" { every = seconds } else { limit = seconds }
      }
    }
    let held = try pinned(call, [0])
    let polling = Polling(function: held[0], every: every, call)
    try waitForRuns(call, "lull.wait_until", polling.scope, held) { completion in
      var timer: (any HostTimer)?
      if let limit {
        timer = pump.clock.schedule(after: limit) { [unowned self] in
          pump.enqueue { [unowned self] in
            guard timer != nil else { return }
            timer = nil
            polling.cancel()
            completion(
              [.nil, values.of(timeoutError("lull.wait_until", limit), service: nil)], false)
          }
        }
      }
      polling.begin { [unowned self] outcome in
        timer?.cancel()
        timer = nil
        let (values, raising) = values(of: outcome)
        completion(values, raising)
      }
      return {
        timer?.cancel()
        timer = nil
        polling.cancel()
      }
    }
  }

  private func timeoutError(_ name: String, _ seconds: Double) -> RequestError {
    let text = "\(name): not finished after \(seconds.luaText) s"
    return RequestError(
      userMessage: text, cause: .transport(TransportError(.timeout, text)),
      timestamp: pump.clock.now)
  }

  // MARK: Parts

  /// Returns the results of a run and false, or the error that the run raised and true.
  private func values(of outcome: RunOutcome) -> ([LuaValue], Bool) {
    switch outcome {
    case .finished(let results):
      let id = stored.makeID()
      let first = results.index(0)
      guard
        lull_value_pack(bridge.pointer, results.state, first, first + Int32(results.count) - 1, id)
          == 0
      else { return ([.string("not enough memory")], true) }
      stored.adopt(id)
      stored.unpinSoon([id])
      return ([.unpack(id)], false)
    case .failed(let failure): return ([values.reraised(failure)], true)
    case .gone, .cancelled:
      return ([.nil, values.of(RequestError.cancelled(at: pump.clock.now), service: nil)], false)
    }
  }

  /// Suspends the call until the runs in a scope are done. `held` are the IDs of pinned values,
  /// which are unpinned when the wait ends.
  private func waitForRuns(
    _ call: Call, _ words: String, _ scope: RunScope, _ held: [Int64],
    _ begin: (@escaping WaitCompletion) -> () -> Void
  ) throws(Misuse) {
    do throws(Misuse) {
      try loop.wait(call, for: words, Awaited(scope: scope)) { completion in
        let cancel = begin { [unowned self] values, raising in
          stored.unpinSoon(held)
          // The completion is deferred, because it must not run inside the run that has decided the
          // outcome.
          pump.enqueue { completion(values, raising) }
        }
        return { [unowned self] in
          cancel()
          stored.unpinSoon(held)
        }
      }
    } catch {
      stored.unpinSoon(held)
      throw error
    }
  }

  /// Stores and pins the arguments at those positions. Returns their IDs.
  private func pinned(_ call: Call, _ positions: [Int]) throws(Misuse) -> [Int64] {
    var ids: [Int64] = []
    for position in positions {
      guard let id = try? stored.keep(call.state, call.index(position)), stored.pin(id) else {
        stored.unpinSoon(ids)
        throw .message("not enough memory")
      }
      ids.append(id)
    }
    return ids
  }
}

/// A request or a task in the list passed to `lull.all` or `lull.any`.
enum AwaitedItem {
  case request(Request)
  case task(LuaTask)

  /// Calls `receive` when the item has ended, but never inside this call. The returned function
  /// ends the wait early. If the item is a task, that function cancels the task. If the item is a
  /// request, that function cancels the request unless something else waits for the request.
  func wait(in pump: Pump, _ receive: @escaping () -> Void) -> (_ tasks: Tasks) -> Void {
    switch self {
    case .request(let request):
      request.mark.isHandled = true
      let waiter = request.addWaiter { _ in receive() }
      return { _ in request.leave(waiter, isSparingObserved: false) }
    case .task(let task):
      if task.isRunning {
        task.onEnd { [unowned pump] in pump.enqueue(receive) }
      } else {
        pump.enqueue(receive)
      }
      return { tasks in tasks.cancel(task) }
    }
  }

  /// Pins the userdata of the item until an equal number of unpins. If the item has no userdata, it
  /// is created. Returns the handle of the item, or nil if the item can't be pinned.
  func pin(in stored: StoredValues) -> UInt64? {
    switch self {
    case .request(let request): stored.pin(request) ? request.mark.handle : nil
    case .task(let task): stored.pin(task)
    }
  }

  /// The outcome of the item, or nil while it has not ended.
  var outcome: Outcome? {
    switch self {
    case .request(let request):
      request.mark.isHandled = true
      guard request.lifecycle.hooksDelivered || request.isCompleted else { return nil }
      switch request.response?.outcome {
      case .success: return .success
      case .failure(let error): return .failure(error)
      case nil: return nil
      }
    case .task(let task):
      switch task.state {
      case .running: return nil
      case .finished(let id, isFailure: true): return .returned(id)
      case .finished: return .success
      case .failed(let failure): return .raised(failure)
      case .cancelled: return .cancelled
      }
    }
  }

  enum Outcome {
    case success
    case failure(RequestError)
    /// A task returned nil and an error. The value is the ID of the packed results of the task.
    case returned(Int64)
    /// A task raised an error, which is raised again where the task is awaited.
    case raised(ScriptFailure)
    /// A task was cancelled.
    case cancelled
  }
}

/// The requests, tasks and runs that a coroutine waits for. This information is used to detect
/// coroutines that wait for each other.
struct Awaited {
  var requests: [Request] = []
  var tasks: [LuaTask] = []
  /// The scope of the script functions that were started by a call of the coroutine, and that the
  /// coroutine waits for.
  var scope: RunScope?

  /// Whether the coroutine waits for a list, even if the list has only one item. If one item of a
  /// list will never complete, the rest is cancelled.
  var isList = false

  /// A request that the coroutine waits for and that will never complete; nil if there is none.
  var abandoned: Request? { requests.first { $0.isAbandoned && !$0.isCompleted } }
}
