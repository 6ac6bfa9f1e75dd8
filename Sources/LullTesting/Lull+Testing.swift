public import LullCore
import LullSystem

extension Lull {
  /// Runs a test with a stubbed network and a manual clock.
  ///
  /// The body runs on the calling thread. Services made by the body, or by the code under test with
  /// `Service(baseURL:)`, use `test.network` and `test.clock`. Waiting never advances the clock: a
  /// wait ends without time passing, or fails with an error that names the next pending event. The
  /// test therefore never hangs. When the body has ended, everything in flight is cancelled.
  ///
  /// A deadlock ends the test immediately. In a deadlock, the body and all tasks of `spawn` wait
  /// for requests, loops or Lua code, and nothing in the test can wake them: responses are held,
  /// and timers are in the future. Actions of other threads are not detected, such as a plain
  /// `Task` that sleeps before it releases a response. For a test that depends on other threads,
  /// pass a `patience`: a wait then fails only after that time. (TEST-161)
  ///
  /// The calling thread is blocked until the test has ended. In an asynchronous function, use the
  /// asynchronous overload.
  ///
  ///     @Test func `a user has a name`() throws {
  ///       try Lull.test { test in
  ///         test.network.stub("GET", "https://api.test/users/1", .json(#"{"name": "Ann"}"#))
  ///         let api = test.service("https://api.test")
  ///         let user = try await api.resource("/users/1").load().entity()
  ///         #expect(user.jsonDict["name"] == "Ann")
  ///       }
  ///     }
  ///
  /// - Parameter patience: The time for which the test waits for events outside the test, such as a
  ///   detached task, before it fails, in seconds of the real clock. If nil, a deadlock fails
  ///   immediately, and any other wait after 10 s.
  /// - Throws: The error of the body, or `TestIsStuck`.
  public static func test<Value>(
    patience: Double? = nil, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    try LullTest().run(patience: patience, body)
  }

  /// Runs a test from an asynchronous function. The test has its own thread, and the caller's task
  /// is suspended until the test has ended. (TEST-162)
  ///
  /// Even if many tests run at the same time, no thread of Swift's concurrency pool is blocked, so
  /// detached tasks can run. Cancelling the caller's task does not end the test.
  ///
  ///     @Test func `a user has a name`() async throws {
  ///       try await Lull.test { test in … }
  ///     }
  ///
  /// - Throws: The error of the body, or `TestIsStuck`.
  public static func test<Value: Sendable>(
    patience: Double? = nil,
    _ body: @escaping @Sendable (isolated LullTest) async throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let hasThread = NativeThread.start("lull-test") {
        continuation.resume(
          with: Result { try LullTest().run(patience: patience, body) })
      }
      precondition(hasThread, "the system has no more threads")
    }
  }
}

extension Lull {
  /// Runs a test, with `patience` given as a `Duration`. (SWF-162)
  ///
  /// - Throws: The error of the body, or `TestIsStuck`.
  @_disfavoredOverload
  public static func test<Value>(
    patience: Duration, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    try test(patience: Double(seconds: patience) as Double?, body)
  }
}

extension Lull {
  /// Runs a test from an asynchronous function, with `patience` given as a `Duration`. (SWF-162,
  /// TEST-162)
  ///
  /// - Throws: The error of the body, or `TestIsStuck`.
  @_disfavoredOverload
  public static func test<Value: Sendable>(
    patience: Duration,
    _ body: @escaping @Sendable (isolated LullTest) async throws -> Value
  ) async throws -> Value {
    try await test(patience: Double(seconds: patience) as Double?, body)
  }
}
