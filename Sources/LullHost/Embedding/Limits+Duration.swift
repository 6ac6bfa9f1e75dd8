public import LullCore

extension Lua.Limits: DurationSettable {
  /// The same with a duration of a stretch. (SWF-162)
  @_disfavoredOverload
  public init(memory: Int? = nil, instructions: Int? = nil, seconds: Duration) {
    self.init(
      memory: memory, instructions: instructions, seconds: Double(seconds: seconds) as Double?)
  }
}

extension DurationSettable where Self == Lua.Limits {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var seconds: Duration? {
    get { (self.seconds as Double?).map { Duration(clamping: $0) } }
    set { self.seconds = newValue.map { Double(seconds: $0) } as Double? }
  }
}
