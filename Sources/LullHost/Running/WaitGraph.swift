import LullCore

/// The graph of waits: coroutines wait for requests and tasks; requests wait for the requests
/// they consist of and for the script functions that run for them.
struct WaitGraph {
  /// The coroutines that a request or a cache waits for, by number.
  let parts: [Int32: RunContext]

  /// Returns whether the awaited objects can't end before `goal` or the coroutine `context` has,
  /// directly or through others.
  func depends(_ awaited: Awaited, on goal: Request?, _ context: RunContext? = nil) -> Bool {
    // If no request depends on a coroutine, there is nothing to follow.
    if goal == nil, awaited.tasks.isEmpty, parts.isEmpty, context?.queue == nil { return false }
    return reaches(
      awaited.requests, awaited.tasks.compactMap(\.context),
      isGoal: { $0 === context },
      isGoalRequest: { next in
        if next === goal { return true }
        guard let queue = (next as? CacheLookup)?.queue else { return false }
        return queue === context?.queue
      })
  }

  /// Returns whether one of these, or something they wait for, is a goal.
  func reaches(
    _ requests: [Request], _ contexts: [RunContext], isGoal: (RunContext) -> Bool,
    isGoalRequest: (Request) -> Bool = { _ in false }
  ) -> Bool {
    var visited: Set<ObjectIdentifier> = []
    var requests = requests
    var contexts = contexts
    while true {
      if let next = contexts.popLast() {
        guard visited.insert(ObjectIdentifier(next)).inserted else { continue }
        if isGoal(next) { return true }
        requests += next.awaited.requests
        contexts += next.contextsAwaited
      } else if let next = requests.popLast() {
        guard visited.insert(ObjectIdentifier(next)).inserted, !next.isCompleted else { continue }
        if isGoalRequest(next) { return true }
        requests += next.openParts + next.awaitedByTransformer
        contexts += functions(of: next)
      } else {
        return false
      }
    }
  }

  /// Returns the requests awaited by the coroutines that this request waits for.
  func requestsAwaited(byFunctionsOf request: Request) -> [Request] {
    var visited: Set<ObjectIdentifier> = []
    var requests: [Request] = []
    var contexts = functions(of: request)
    while let next = contexts.popLast() {
      guard visited.insert(ObjectIdentifier(next)).inserted else { continue }
      requests += next.awaited.requests
      contexts += next.contextsAwaited
    }
    return requests
  }

  /// Returns the coroutines that a request waits for.
  private func functions(of request: Request) -> [RunContext] {
    let current = (request as? NetworkRequest)?.innermostTransfer
    let queue = (request as? CacheLookup)?.queue
    var functions = parts.values.filter {
      $0.request === request || queue != nil && $0.queue === queue
    }
    if let function = (current as? LuaNetworking.Transfer)?.context { functions.append(function) }
    return functions
  }
}

extension RunContext {
  /// The coroutines that this one waits for.
  fileprivate var contextsAwaited: [RunContext] {
    awaited.tasks.compactMap(\.context) + (awaited.scope?.openRuns ?? [])
  }
}
