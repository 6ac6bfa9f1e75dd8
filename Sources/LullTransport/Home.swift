public import LullCore

/// The thread on which services, resources and requests live, as an actor: its executor is the event
/// loop that `Lull.run` drives.
///
/// Whatever is isolated to a home runs on its thread, and may wait for anything: while it waits, the
/// loop goes on, and what runs on other executors comes back through the loop. The objects of the
/// core are not `Sendable`, so the compiler keeps them here. To run something beside the body, start
/// a task that is isolated to the home by naming it, or start several requests before waiting for the
/// first; `async let` leaves the home and cannot take resources along.
///
///     Task {
///       _ = home  // Makes the task run here.
///       try await api.resource("/news").load().entity()
///     }
public actor Home {
  private let thread: HomeThread
  private let executor: LoopExecutor

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
    Task {
      do {
        outcome.value.result = .success(try await body.value(self))
      } catch {
        outcome.value.result = .failure(error)
      }
    }
    var result: Result<Value, any Error>?
    thread.run {
      result = outcome.value.result
      return result != nil
    }
    thread.close()
    guard let result else { preconditionFailure("the loop ended early; this is a bug in Lull") }
    return try result.get()
  }

  private final class Outcome<Value> {
    var result: Result<Value, any Error>?
  }
}

/// Something that is handed over, by closures that may be sent, from a thread to itself.
// Only `Home.run` uses it: the calling thread makes the value, waits, and is the one thread on which
// the home's executor runs whatever touches it.
private struct Confined<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
