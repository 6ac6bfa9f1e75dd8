import CLullBridge
import LullCore

extension Method {
  static let logMethods: [Method] = [
    .getter(.log, "enabled") { call throws(Misuse) in
      let log = try call.selfObject(.log, as: ScriptLog.self)
      call.return(.list(log.enabled.map { .string($0) }))
    },
    .setter(.log, "enabled") { call throws(Misuse) in
      let log = try call.selfObject(.log, as: ScriptLog.self)
      var names: [String] = []
      switch Int(call.raw(1).kind) {
      case Int(LULL_NIL): break
      case Int(LULL_BOOLEAN): if call.raw(1).integer != 0 { names = ["common"] }
      case Int(LULL_STRING): names = [call.raw(1).string ?? ""]
      case Int(LULL_TABLE):
        try LuaTable(call.index(1), in: call.state).forEachField {
          _, element throws(Misuse) in
          guard let name = element.string else {
            throw .message("'enabled' must be a list of category names")
          }
          names.append(name)
        }
      default:
        throw .message(
          "'enabled' must be a list of category names, or \"common\", \"detailed\" or \"all\", got "
            + call.raw(1).typeName)
      }
      try log.enable(names)
    },
    .getter(.log, "handler") { call throws(Misuse) in
      let log = try call.selfObject(.log, as: ScriptLog.self)
      call.return(log.handler.map { .ref($0) } ?? .nil)
    },
    .setter(.log, "handler") { call throws(Misuse) in
      let log = try call.selfObject(.log, as: ScriptLog.self)
      guard !call.isNil(1) else { return try log.setHandler(nil) }
      guard call.raw(1).kind == Int32(LULL_FUNCTION) else {
        try log.setHandler(nil)
        throw .message("'handler' must be a function, got \(call.raw(1).typeName)")
      }
      try log.setHandler(try call.kept.keep(call.state, call.index(1)))
    },
    .method(.log, "__tostring") { call throws(Misuse) in call.return(.string("lull.log")) },
  ]
}
