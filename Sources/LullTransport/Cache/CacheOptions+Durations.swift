public import LullCore

extension FileEntityCache.Options: DurationSettable {}

extension DurationSettable where Self == FileEntityCache.Options {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var maxAge: Duration? {
    get { (self.maxAge as Double?).map { Duration(clamping: $0) } }
    set { self.maxAge = newValue.map { Double(seconds: $0) } as Double? }
  }
}

extension SharedEntityCache.Options: DurationSettable {}

extension DurationSettable where Self == SharedEntityCache.Options {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var maxAge: Duration? {
    get { (self.maxAge as Double?).map { Duration(clamping: $0) } }
    set { self.maxAge = newValue.map { Double(seconds: $0) } as Double? }
  }
}
