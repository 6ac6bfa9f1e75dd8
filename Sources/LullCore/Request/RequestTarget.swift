/// What a request is made for, as far as requests know it: a resource.
package protocol RequestTarget: AnyObject {
  /// The URL, without secrets.
  var address: String { get }
  /// What is known of the answers of its service; nil: nothing.
  var schemas: (any AnswerSchemas)? { get }
  /// Whether progress would reach anybody.
  var wantsProgress: Bool { get }
  /// Whether anybody observes it who is alive.
  var isObserved: Bool { get }
  /// Tells who wants to know how far a load is: 0 to 1.
  func loadProgressed(to progress: Double)
}

/// Whose lists a request is in until it has ended.
package protocol RequestTracker: AnyObject {
  /// Takes a request that has ended off its lists.
  func forget(_ request: Request)
}
