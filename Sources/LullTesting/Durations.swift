public import LullCore

extension Lull {
  /// The same with a duration for `patience`. (SWF-162)
  @_disfavoredOverload
  public static func test<Value>(
    patience: Duration, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    try test(patience: Double(seconds: patience), body)
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
