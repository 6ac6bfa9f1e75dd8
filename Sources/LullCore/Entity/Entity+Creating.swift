import LullSystem

extension Entity {
  /// An entity made here and now: its timestamp is the current time. (ENT-11, ENT-12)
  ///
  /// A content type given becomes its Content-Type header, over one among `headers`.
  public init(
    content: Content, contentType: String? = nil, charset: String? = nil,
    headers: Headers = Headers()
  ) {
    self.init(
      content: content, contentType: contentType, charset: charset, headers: headers,
      timestamp: SystemClock.now)
  }

  /// Makes it as of now. (ENT-13) Lua: `entity:touch()`.
  public mutating func touch() { timestamp = SystemClock.now }

  /// The same metadata with the content as a value of that type; nil if it cannot be one. (ENT-14)
  ///
  /// What can be cast: `Content.cast(to:)`.
  public func withContentRetyped<Value: Sendable>(as type: Value.Type = Value.self) -> Entity? {
    guard let value = content.cast(to: type) else { return nil }
    var entity = self
    entity.content = Content(value)
    return entity
  }
}
