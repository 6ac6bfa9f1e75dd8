import CLullBridge
import LullCore

extension Method {
  private static func changes(_ call: Call) throws(Misuse) -> LuaChanges {
    try call.selfObject(.changes, as: LuaChanges.self)
  }

  static let changesMethods: [Method] = [
    .method(.resource, "fetch") { call throws(Misuse) in try fetch(call, try call.resource) },
    .method(.resource, "changes") { call throws(Misuse) in
      let resource = try call.resource
      let changes = LuaChanges(resource, call.iterators)
      call.returnIterator(call.values.of(changes, .changes, service: resource.service))
    },
    .getter(.changes, "resource") { call throws(Misuse) in
      call.return(try changes(call).resource.map { call.values.of($0) } ?? .nil)
    },
    // What the statement `for` hands to it besides says nothing.
    .method(.changes, "__call", "*") { call throws(Misuse) in try changes(call).next(call) },
    .method(.changes, "stop") { call throws(Misuse) in try changes(call).stop() },
    .method(.changes, "__close", "*") { call throws(Misuse) in try changes(call).stop() },
    .method(.changes, "__tostring") { call throws(Misuse) in
      let changes = try changes(call)
      call.return(.string("Changes(\(changes.name)\(changes.isOver ? ", over" : ""))"))
    },
  ]
}

extension Call {
  /// Function, state, control variable, and what `for` closes when it is left.
  func returnIterator(_ object: LuaValue) {
    for value in [object, .nil, .nil, object] { self.return(value) }
  }
}

extension Method {
  /// `resource:fetch()`: the entity, loaded if it is not fresh, or nil and the error. As `Resource.fresh`.
  private static func fetch(_ call: Call, _ resource: Resource) throws(Misuse) {
    if case .load(let request) = resource.neededLoad() {
      request.mark.loaded = resource
      return try awaitRequest(call, request)
    }
    if returnOutcome(of: resource, call) { return }
    // A stream is followed, which has brought nothing yet.
    try call.waits.wait(call, for: "the first data of \(resource.displayName)") { completion in
      let wait = FirstOutcome(resource, call.values) { completion($0, false) }
      return { wait.end() }
    }
  }

  private static func returnOutcome(of resource: Resource, _ call: Call) -> Bool {
    guard let values = FirstOutcome.values(of: resource, call.values) else { return false }
    if values.count > 1 { call.unhandled.errorSeen(of: resource) }
    for value in values { call.return(value) }
    return true
  }
}

/// Waits until a resource that nobody loads has data or an error.
private final class FirstOutcome {
  private let resource: Resource
  private var stop: (() -> Void)?
  private var isOver = false

  init(_ resource: Resource, _ values: ScriptValues, _ found: @escaping ([LuaValue]) -> Void) {
    self.resource = resource
    stop = resource.observe(while: { [weak self] in self?.isOver == false }) {
      [weak self, unowned values] _ in
      guard let self, !isOver, FirstOutcome.isThere(of: resource) else { return }
      end()
      resource.pump.enqueueAfterPhase {
        found(FirstOutcome.values(of: resource, values) ?? [.nil])
      }
    }
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    stop?()
    stop = nil
  }

  private static func isThere(of resource: Resource) -> Bool {
    resource.latestData != nil || resource.latestError != nil
  }

  /// The entity, or nil and the error; nil if there is neither.
  static func values(of resource: Resource, _ values: ScriptValues) -> [LuaValue]? {
    let service = resource.service
    if let error = resource.latestError, !service.isOffline || resource.latestData == nil {
      return [.nil, values.of(error, service: service)]
    }
    return resource.latestData.map { [values.of($0, service: service)] }
  }
}
