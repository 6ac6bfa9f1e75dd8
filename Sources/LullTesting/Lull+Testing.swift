public import LullCore

extension Lull {
  /// Runs a test with a network of stubs and a clock that is moved by hand.
  ///
  /// The body runs on the calling thread; services that it makes, or that the code under test makes with
  /// `Service(baseURL:)`, use `test.network` and `test.clock`. What is waited for comes without time
  /// passing, or the wait ends with an error that says what would have been next: no wait of a test hangs.
  /// When the body has ended, what is in flight is cancelled.
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
  ///   as a detached task, before giving up.
  /// - Throws: What the body throws, or `TestIsStuck`.
  public static func test<Value>(
    patience: Double = 10, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    try LullTest().run(patience: patience, body)
  }
}
