import CLullBridge
import LullArguments
import LullCore

/// `functions` of `lull.service{…}`: methods of a script's own. (SVC-120 to SVC-122)
extension Method {
  /// Reads the table of them; the caller anchors what is kept.
  static func serviceFunctions(_ call: Call, _ value: lull_value, _ index: Int32) throws(Misuse)
    -> [String: Int64]
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'functions' must be a table of functions by name, got \(value.typeName)")
    }
    var functions: [String: Int64] = [:]
    try LuaTable(index, in: call.state).forEachField { key, field throws(Misuse) in
      guard key.kind == Int32(LULL_STRING), let name = key.string, LineToken.isName(name) else {
        throw .message("'functions' must have names as keys, got \(key.described)")
      }
      guard field.kind == Int32(LULL_FUNCTION) else {
        throw .message("'functions.\(name)' must be a function, got \(field.typeName)")
      }
      guard !isMember(name), !name.hasPrefix("__") else {
        throw .message("'functions.\(name)' is a name that every service has: choose another one")
      }
      functions[name] = try call.kept.keep(call.state, LuaTable.visitedIndex(in: call.state))
    }
    return functions
  }

  private static func isMember(_ name: String) -> Bool {
    serviceMethods.contains { $0.name.description == name }
  }

  /// What a service has under a name that is none of its members.
  static func serviceFunction(_ call: Call) throws(Misuse) {
    let service = try call.service
    let key = call.raw(1)
    guard key.kind == Int32(LULL_STRING), let name = key.string else {
      throw .message("a Service has no field of type \(key.typeName)")
    }
    if let function = service.hostFunctions[name] { return call.return(.ref(function)) }
    let members = serviceMethods.map(\.name.description).filter { !$0.hasPrefix("__") }
    let near = NearestName.suggestion(
      for: name, among: members + service.hostFunctions.keys.sorted())
    let hint = near.map { " (did you mean '\($0)'?)" } ?? ""
    throw .message("a Service has no field '\(LogText.part(name, limit: 60))'\(hint)")
  }
}
