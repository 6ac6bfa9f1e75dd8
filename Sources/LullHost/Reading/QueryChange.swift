import CLullBridge
import LullCore

/// What a table of query parameters makes of a resource's URL. (PATH-20 to PATH-29)
struct QueryChange {
  private var plain: [([UInt8], [UInt8]?)] = []
  private var secrets: [(String, ParameterValue?)] = []

  init(_ call: Call, table: Int32) throws(Misuse) {
    var read: (plain: [([UInt8], [UInt8]?)], secrets: [(String, ParameterValue?)]) = ([], [])
    try LuaTable(table, in: call.state).forEachField { key, value throws(Misuse) in
      guard let name = key.string else {
        throw .message("parameter names must be strings, got \(key.typeName)")
      }
      if let secret = call.handles.secret(value) {
        return read.secrets.append((name, .secret(secret)))
      }
      let parameter = try RawParameter(key, value, called: name)
      read.plain.append((parameter.name, parameter.value))
    }
    (plain, secrets) = read
  }

  var isEmpty: Bool { plain.isEmpty && secrets.isEmpty }

  func applied(to resource: Resource) -> Resource {
    let changed = plain.isEmpty ? resource : resource.withParams(raw: plain)
    return secrets.isEmpty && !plain.isEmpty ? changed : changed.withParams(secrets)
  }
}
