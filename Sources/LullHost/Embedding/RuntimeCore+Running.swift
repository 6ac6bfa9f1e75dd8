import CLullBridge
import LullCore
import LullTransport

// Runs Lua source code and Lua functions for Swift.
extension RuntimeCore {
  typealias Outcome = Result<[Lua.Value], LuaError>

  // MARK: Without waiting

  /// Runs source code that must not wait, and returns its results.
  func runNow(_ source: [UInt8], name: String) throws(LuaError) -> [Lua.Value] {
    let chunk = try compile(source, name: name)
    defer { release(chunk) }
    return try callNow(chunk.callable, [])
  }

  /// Calls a function that must not wait, and returns its results.
  func callNow(_ callable: Callable, _ arguments: [Lua.Value]) throws(LuaError) -> [Lua.Value] {
    try askNow(callable, arguments) { results in self.values(of: results) }.get()
  }

  /// Calls a function that must not wait. Passes the results of the function to `read`, and returns
  /// the value that `read` returns.
  func askNow<R>(
    _ callable: Callable, _ arguments: [Lua.Value], read: (RunResults) -> R
  ) throws(LuaError) -> R {
    try requireOpen()
    let encoded = try encode(arguments)
    return try ask(callable, encoded) { results throws(LuaError) in read(results) }
  }

  func ask<R>(
    _ callable: Callable, _ arguments: [LuaValue], read: (RunResults) throws(LuaError) -> R
  ) throws(LuaError) -> R {
    let stretch = ContinuedStretch.Origin.stretch(in: self)
    let answer = stretch.run(host.bridge) {
      host.coroutines.ask(callable, arguments, kind: "call from Swift") { results in
        Result { () throws(LuaError) in try read(results) }
      }
    }
    switch answer {
    case .success(let result): return try result.get()
    case .failure(.gone): throw .closed
    case .failure(.failed(let failure)): throw error(of: failure)
    }
  }

  // MARK: Waiting

  /// Calls a function that may wait. `finish` is called exactly once, immediately or later, with
  /// the results or an error. The closure that `start` returns cancels the call.
  func start(
    _ callable: Callable, _ arguments: [Lua.Value], finish: @escaping (Outcome) -> Void
  ) -> () -> Void {
    let encoded: [LuaValue]
    do throws(LuaError) {
      try requireOpen()
      encoded = try encode(arguments)
    } catch {
      finish(.failure(error))
      return {}
    }
    host.loop.taskBegan()
    let context = RunContext(
      purpose: "a call from Swift", request: PumpTask.request(on: pump)
    ) { [unowned self] outcome in
      host.loop.taskEnded()
      finish(self.outcome(outcome))
    }
    context.isStrong = true
    context.stretch = ContinuedStretch.Origin.stretch(in: self)
    host.coroutines.start(callable, encoded, context)
    return { [host] in host.coroutines.cancel(context) }
  }

  /// Returns the stretch of Lua code that the coroutine is running. If the coroutine calls an
  /// asynchronous function, that function belongs to the same stretch. Returns nil if stretches
  /// have no limits.
  func stretch(for context: RunContext?) -> ContinuedStretch.Origin? {
    guard limits.seconds != nil || limits.instructions != nil, let context else { return nil }
    let stretch = context.stretch ?? ContinuedStretch()
    context.stretch = stretch
    context.stretchCalls = stretch.callCount
    return ContinuedStretch.Origin(
      runtime: ObjectIdentifier(self), stretch: stretch, waitsSince: stretch.note(host.bridge))
  }

  private func outcome(_ outcome: RunOutcome) -> Outcome {
    switch outcome {
    case .finished(let results): return values(of: results)
    case .failed(let failure): return .failure(error(of: failure))
    case .gone: return .failure(.closed)
    case .cancelled where isClosing: return .failure(.closed)
    case .cancelled: return .failure(LuaError(.cancelled, "the call was cancelled"))
    }
  }

  // MARK: Parts

  func compile(_ source: [UInt8], name: String) throws(LuaError) -> Chunk {
    try requireOpen()
    do throws(Chunk.Problem) {
      return try host.sources.compile(source, name: Array(name.utf8))
    } catch {
      throw LuaError(error)
    }
  }

  private func values(of results: RunResults) -> Outcome {
    var values: [Lua.Value] = []
    do throws(LuaError) {
      for position in 0..<results.count {
        values.append(try read(at: results.index(position), in: results.state))
      }
    } catch {
      return .failure(error)
    }
    return .success(values)
  }

  func error(of failure: ScriptFailure) -> LuaError {
    if let passed = host.loop.limits.passed(failure) {
      return LuaError(passed, kind: limitKind, value: nil)
    }
    if let error = failure.thrown as? LuaError { return LuaError(passing: error, failure) }
    let kind: LuaError.Kind = failure.message == "not enough memory" ? .memoryLimit : .runtime
    return LuaError(failure, kind: kind, value: raised(failure))
  }

  private var limitKind: LuaError.Kind {
    switch host.loop.limits.passedLimit {
    case Int32(LULL_LIMIT_TIME): .timeLimit
    case Int32(LULL_LIMIT_INSTRUCTIONS): .instructionLimit
    default: .memoryLimit
    }
  }

  /// Returns the value that Lua code raised, as JSON. Returns nil if the value is a string or has
  /// no JSON form.
  private func raised(_ failure: ScriptFailure) -> JSONValue? {
    switch failure.value {
    case .boolean(let bool)?: return .bool(bool)
    case .integer(let int)?: return .int(Int(int))
    case .number(let number)?: return .double(number)
    case .foreign where failure.thrown != nil: return nil
    case .foreign(let foreign)?: return json(ofKept: foreign.id)
    case .string?, nil: return nil
    }
  }

  // MARK: Tasks

  /// Runs an asynchronous closure as a task on the home. Returns nil if the runtime has no home.
  func spawn(
    _ body: nonisolated(nonsending) @escaping () async -> Void
  ) -> Task<Void, any Error>? {
    home.map { spawn(on: $0, HandedOver(body)) }
  }

  private func spawn(
    on home: some ServiceHome, _ body: HandedOver<nonisolated(nonsending) () async -> Void>
  ) -> Task<Void, any Error> {
    home.assumeIsolated { home in home.spawn { _ in await body.value() } }
  }
}

/// Wraps a value so that a closure which must be `Sendable` can capture the value and use it on the
/// thread on which the value was created.
// The value is created, used and released on the home thread only, where every task of a home runs.
struct HandedOver<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
