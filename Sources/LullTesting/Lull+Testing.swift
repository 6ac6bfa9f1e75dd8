public import LullCore
import LullSystem

extension Lull {
  /// Runs a test with a network of stubs and a clock that is moved by hand.
  ///
  /// The body runs on the calling thread; services that it makes, or that the code under test makes with
  /// `Service(baseURL:)`, use `test.network` and `test.clock`. What is waited for comes without time
  /// passing, or the wait ends with an error that says what would have been next: no wait of a test hangs.
  /// When the body has ended, what is in flight is cancelled.
  ///
  /// A deadlock ends the test at once: the body and all tasks of `spawn` wait for requests, loops or Lua code, and
  /// every answer is held or every timer is in the future. It does not see what other threads would do to the
  /// test, such as a plain `Task` that sleeps before it releases an answer: give a `patience` there, for which
  /// any wait lasts. (TEST-161)
  ///
  /// The calling thread is blocked meanwhile. In an asynchronous function use the asynchronous form.
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
  /// - Parameter patience: how long to wait, in seconds of the real clock, for what is not of this test, such
  ///   as a detached task, before giving up; nil: 10 s, and none for a deadlock.
  /// - Throws: What the body throws, or `TestIsStuck`.
  public static func test<Value>(
    patience: Double? = nil, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    try LullTest().run(patience: patience, body)
  }

  /// The same in an asynchronous function: the test has a thread of its own, and the caller's task is suspended
  /// until it has ended. (TEST-162)
  ///
  /// No thread of Swift's pool is blocked, however many tests run at a time, so that detached tasks go on.
  /// Cancelling the caller's task does not end the test.
  ///
  ///     @Test func `a user has a name`() async throws {
  ///       try await Lull.test { test in … }
  ///     }
  ///
  /// - Throws: What the body throws, or `TestIsStuck`.
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
  /// The same with a duration for `patience`. (SWF-162)
  ///
  /// - Throws: What the body throws, or `TestIsStuck`.
  @_disfavoredOverload
  public static func test<Value>(
    patience: Duration, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    try test(patience: Double(seconds: patience) as Double?, body)
  }
}

extension Lull {
  /// The asynchronous form with a duration for `patience`. (SWF-162, TEST-162)
  ///
  /// - Throws: What the body throws, or `TestIsStuck`.
  @_disfavoredOverload
  public static func test<Value: Sendable>(
    patience: Duration,
    _ body: @escaping @Sendable (isolated LullTest) async throws -> Value
  ) async throws -> Value {
    try await test(patience: Double(seconds: patience) as Double?, body)
  }
}
