extension Resource: RequestTarget {
  package var address: String { url.text }

  package var schemas: (any AnswerSchemas)? { owner.schemas }

  package var wantsProgress: Bool { record.observers.wantsProgress }

  package var isObserved: Bool {
    record.observers.removeDead(resource: self)
    return !record.observers.isEmpty
  }

  package func loadProgressed(to progress: Double) {
    record.observers.broadcastProgress(progress, resource: self)
  }
}

extension Request {
  /// The resource it is made for; nil of one that belongs to none. Lua: `request.resource`.
  public final var resource: Resource? { target as? Resource }
}
