import CLullBridge
import LullCore

extension Method {
  private static func watch(_ call: Call) throws(Misuse) -> LuaWatch {
    try call.selfObject(.watch, as: LuaWatch.self)
  }

  static let watchMethods: [Method] = [
    .method(.resource, "watch", "T") { call throws(Misuse) in try makeWatch(call) },
    .getter(.watch, "resource") { call throws(Misuse) in
      call.return(try watch(call).resource.map { call.values.of($0) } ?? .nil)
    },
    // What the statement `for` hands to it besides says nothing.
    .method(.watch, "__call", "*") { call throws(Misuse) in try watch(call).next(call) },
    .method(.watch, "stop") { call throws(Misuse) in try watch(call).stop() },
    .method(.watch, "__close", "*") { call throws(Misuse) in try watch(call).stop() },
    .method(.watch, "__tostring") { call throws(Misuse) in
      let name = try watch(call).resource?.displayName ?? "over"
      call.return(.string("Watch(\(name))"))
    },
  ]
}

extension Method {
  static let watchKeys = ["every", "until_", "timeout"]

  /// `resource:watch{ every =, until_ =, timeout = }`
  private static func makeWatch(_ call: Call) throws(Misuse) {
    let resource = try call.resource
    var options = WatchProgress.Options()
    var until: Int64?
    if !call.isNil(1) {
      try call.reading.options.forEach(of: call.index(1), in: call.state, known: watchKeys) {
        name, value throws(Misuse) in
        switch name {
        case "every":
          options.every = try seconds(value, name, .span)
        case "timeout":
          options.timeout = try seconds(value, name, .finiteSeconds)
        default:
          guard value.kind == Int32(LULL_FUNCTION) else {
            throw .message("'\(name)' must be a function, got \(value.described)")
          }
          until = try call.kept.keep(call.state, LuaTable.visitedIndex(in: call.state))
        }
      }
    }
    options.failsAtTimeout = until != nil
    let watch = LuaWatch(resource, options, until: until, call.iterators)
    let object = call.values.of(
      watch, .watch, service: resource.service, anchor: until ?? 0)
    if case .object(let handle, _, _, _) = object { watch.hostHandle = handle }
    // Function, state, control variable, and what `for` closes when it is left.
    for value in [object, .nil, .nil, object] { call.return(value) }
  }

  /// A finite number of seconds within bounds.
  private static func seconds(_ value: lull_value, _ name: String, _ rule: NumberRule)
    throws(Misuse) -> Double
  {
    guard let seconds = value.double, rule.allows(seconds) else {
      throw .message("'\(name)' must be \(rule.expectation), got \(value.described)")
    }
    return seconds
  }
}
