public import LullCore

extension Lull {
  /// The same with a duration for `patience`. (SWF-162)
  @_disfavoredOverload
  public static func test<Value>(
    patience: Duration, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    try test(patience: Double(seconds: patience) as Double?, body)
  }
}

extension Lull {
  /// The asynchronous form with a duration for `patience`. (SWF-162, TEST-162)
  @_disfavoredOverload
  public static func test<Value: Sendable>(
    patience: Duration,
    _ body: @escaping @Sendable (isolated LullTest) async throws -> Value
  ) async throws -> Value {
    try await test(patience: Double(seconds: patience) as Double?, body)
  }
}

extension LullTest {
  /// The same with a duration. (SWF-162)
  @_disfavoredOverload
  public func advance(by duration: Duration) async {
    await advance(by: Double(seconds: duration))
  }
}

extension ManualClock {
  /// The same with a duration. (SWF-162)
  @_disfavoredOverload
  public func advance(by duration: Duration) {
    advance(by: Double(seconds: duration))
  }
}
