public import LullCore

extension Lull {
  /// Runs `body` on the calling thread, on its own event loop, and returns its result.
  ///
  /// Services that are made in the body without a network use the loop's network. The body may call
  /// synchronous and asynchronous code. Hooks, observers and other tasks of this home run while the
  /// body waits.
  ///
  ///     let name = try Lull.run { home in
  ///       let api = Service(baseURL: "https://api.example.com/v1")
  ///       let user = try await api.resource("/me").load().entity()
  ///       return user.jsonDict["name"]?.string
  ///     }
  ///
  /// When the body has returned or thrown, requests in flight are cancelled. Their hooks and the
  /// tasks that wait for them are notified, and the loop is closed. A task that waits for anything
  /// else resumes later on another thread, where every use of this home throws. Objects made by the
  /// body can only leave it as its return value: the compiler does not let it change the caller's
  /// variables. A returned resource keeps its state and does not load any more.
  ///
  /// Each call has its own loop and services. Several threads may each run such a call. A nested
  /// call inside another call's body works, but blocks the outer loop. The calling thread is
  /// blocked too: on the main thread, the body must not wait for code that is isolated to the main
  /// actor; in a task, the call blocks a thread of the pool.
  ///
  /// - Throws: The errors of the body, or a `TransportError` if the loop cannot be started.
  public static func run<Value>(
    _ body: @escaping (isolated Home) async throws -> Value
  ) throws -> Value {
    try Home().run(body)
  }
}
