import LullCore

/// The graph of all waits. A coroutine waits for requests, tasks and runs. A request waits for the
/// requests that it wraps, and for the script functions that run for the request.
struct WaitGraph {
  /// The contexts of the waiting coroutines on which a request or a cache operation depends, keyed
  /// by coroutine number.
  let parts: [Int32: RunContext]

  /// Returns whether the awaited objects depend on `goal` or on the coroutine `context`, directly
  /// or through other waits. If they do, they can't end before `goal` or the coroutine has ended.
  func depends(_ awaited: Awaited, on goal: Request?, _ context: RunContext? = nil) -> Bool {
    // If no request depends on a coroutine, the search has nothing to follow.
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

  /// Returns whether one of the requests and contexts is a goal, or waits for a goal directly or
  /// through other waits.
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

  /// Returns the requests that are awaited by the coroutines for which `request` waits.
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

  /// Returns the coroutines for which a request waits.
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
  /// The contexts of the coroutines for which this coroutine waits.
  fileprivate var contextsAwaited: [RunContext] {
    awaited.tasks.compactMap(\.context) + (awaited.scope?.openRuns ?? [])
  }
}
