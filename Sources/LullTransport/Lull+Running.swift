public import LullCore

extension Lull {
  /// Runs `body` on the calling thread, on an event loop of its own, and returns what it returns.
  ///
  /// Services made inside without naming a network use the loop's. The body may call synchronous and
  /// asynchronous code; hooks, observers and the rest of the program's tasks for this home run while it
  /// waits.
  ///
  ///     let name = try Lull.run { home in
  ///       let api = Service(baseURL: "https://api.example.com/v1")
  ///       let user = try await api.resource("/me").load().entity()
  ///       return user.jsonDict["name"]?.string
  ///     }
  ///
  /// When the body has returned or thrown, what is still in flight is cancelled, its hooks and the
  /// tasks that wait for it hear of that, and the loop is closed. A task that waits for something else
  /// goes on when that comes, on another thread, where all that it asks of this home throws. What the
  /// body made leaves it as what it returns: the compiler
  /// lets it change no variable of the caller's. A resource that is returned stays as it is and loads
  /// nothing any more.
  ///
  /// Each call has a loop, and services, of its own: several threads may run one each, and a call inside
  /// another call's body works, but the outer one stands still meanwhile. So does the calling thread:
  /// called on the main thread, code isolated to the main actor must not be waited for, and called in a
  /// task it blocks a thread of the pool.
  ///
  /// - Throws: What the body throws, or a `TransportError` if the loop cannot be started.
  public static func run<Value>(
    _ body: @escaping (isolated Home) async throws -> Value
  ) throws -> Value {
    try Home().run(body)
  }
}
