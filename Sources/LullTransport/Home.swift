public import LullCore

/// The thread on which services, resources and requests live, as an actor: its executor is the event
/// loop that `Lull.run` drives.
///
/// Whatever is isolated to a home runs on its thread, and may wait for anything: while it waits, the
/// loop goes on. The objects of the core are not `Sendable`, so the compiler keeps them here. To load
/// several resources at a time start all requests before waiting for the first; to run something
/// beside the body use `spawn`.
///
/// Functions of yours that wait and are given resources must run where their caller does: enable the
/// upcoming feature `NonisolatedNonsendingByDefault`, or write `nonisolated(nonsending)`. Child tasks
/// run on this thread too but cannot take resources along; long work belongs into `Task.detached`.
public actor Home {
  private let thread: HomeThread
  private let executor: LoopExecutor
  /// What cancels the spawned tasks that have not ended, by number.
  private var cancellations: [Int: () -> Void] = [:]
  private var nextTask = 0

  init() throws(TransportError) {
    let thread = try HomeThread()
    executor = thread.executor
    self.thread = thread
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// What delivers results and callbacks here; for services with an initialiser of their own. The loop
  /// turns it.
  public var pump: Pump { thread.loop.pump }

  /// HTTP by the event loop: what services use that name no networking.
  public var networking: any NetworkingProvider { thread.networking }

  /// Starts a task that runs here, beside whatever waits; it begins when the caller waits or returns.
  ///
  /// When the body of `Lull.run` has ended the task is cancelled, and never goes on after anything it
  /// then still waits for. Lua: `lull.spawn(fn)`.
  ///
  ///     let news = home.spawn { try await api.resource("/news").load().entity() }
  ///     let items = try await news.value.jsonArray
  @discardableResult
  public func spawn<Value: Sendable>(
    _ body: nonisolated(nonsending) @escaping () async throws -> Value
  ) -> Task<Value, any Error> {
    let body = Confined(body)
    let number = nextTask
    nextTask += 1
    let task = Task(executorPreference: executor) { try await self.perform(body, number) }
    cancellations[number] = { task.cancel() }
    return task
  }

  private func perform<Value: Sendable>(
    _ body: Confined<nonisolated(nonsending) () async throws -> Value>, _ number: Int
  ) async throws -> Value {
    defer { cancellations[number] = nil }
    return try await body.value()
  }

  /// Runs `body` on this thread and drives the loop until it has ended, then closes the loop.
  nonisolated func run<Value>(
    _ body: @escaping (isolated Home) async throws -> Value
  ) throws -> Value {
    let body = Confined(body)
    return try assumeIsolated { home in Confined(try home.drive(body)) }.value
  }

  private func drive<Value>(
    _ body: Confined<(isolated Home) async throws -> Value>
  ) throws -> Value {
    let outcome = Confined(Outcome<Value>())
    Task(executorPreference: executor) { await self.perform(body, outcome) }
    var result: Result<Value, any Error>?
    thread.run {
      result = outcome.value.result
      return result != nil
    }
    for cancel in Array(cancellations.values) { cancel() }
    thread.close()
    guard let result else { preconditionFailure("the loop ended early; this is a bug in Lull") }
    return try result.get()
  }

  private func perform<Value>(
    _ body: Confined<(isolated Home) async throws -> Value>, _ outcome: Confined<Outcome<Value>>
  ) async {
    do {
      outcome.value.result = .success(try await body.value(self))
    } catch {
      outcome.value.result = .failure(error)
    }
  }

  private final class Outcome<Value> {
    var result: Result<Value, any Error>?
  }
}

/// Something that is handed over, by closures that may be sent, from a thread to itself.
// The value is made, used and let go on the home thread only: by the caller of `Lull.run`, which waits
// meanwhile, and by tasks that are isolated to the home.
private struct Confined<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
