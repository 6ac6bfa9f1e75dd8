extension PumpTask {
  /// The request that waits for what the calling task does.
  package static func request(on pump: Pump) -> Request? { current(on: pump)?.owner as? Request }

  /// Why its transformer's waiting for this would never end; nil if it may.
  func refusal(toAwait awaited: Request) -> RequestError? {
    guard let request = owner as? Request, awaited.waits(forTransformersOf: request) else {
      return nil
    }
    let message =
      "\(awaited.displayName) would wait for itself: it goes on when the transformer that waits for "
      + "it has returned; use the content that the transformer is given, or start with 'spawn' what "
      + "is to wait for the request"
    var error = RequestError(
      userMessage: message, httpStatusCode: nil, entity: nil,
      cause: .custom(Circle(description: message)), timestamp: request.pump.clock.now)
    error.method = awaited.method
    error.url = awaited.url
    return error
  }

  private struct Circle: Error, CustomStringConvertible {
    let description: String
  }
}

extension Request {
  /// What the transformer waits for that has this request wait; nothing if none does.
  package var awaitedByTransformer: [Request] {
    let task = pump.guest(PumpTasks.self)?.task(of: self)
    return task?.awaited.compactMap { $0 as? Request } ?? []
  }

  /// Whether it cannot complete before `goal`, directly or through its parts and transformers.
  fileprivate func waits(forTransformersOf goal: Request) -> Bool {
    var visited: Set<ObjectIdentifier> = []
    var requests = [self]
    while let next = requests.popLast() {
      guard !next.isCompleted, visited.insert(ObjectIdentifier(next)).inserted else { continue }
      if next === goal { return true }
      requests += next.openParts + next.awaitedByTransformer
      requests += pump.modelHost?.requestsAwaited(byScriptsOf: next) ?? []
    }
    return false
  }
}
