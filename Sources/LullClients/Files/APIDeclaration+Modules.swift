import CLullBridge
import LullArguments
import LullCore
import LullHost

extension APIDeclaration {
  /// What the result of a file is, in words, if that is one of modules, which API files load and which
  /// stand beside them; nil if it is an API, or was to be one.
  ///
  /// A function, or a table that has something and nothing of an API: neither a service, by whatever name, nor 'service'
  /// or 'calls', nor a table that is called nearly so.
  func module(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?) -> String? {
    if value.kind == Int32(LULL_FUNCTION) { return "a function" }
    guard value.kind == Int32(LULL_TABLE) else { return nil }
    var isAPI = false
    var isEmpty = true
    let visited = Result { () throws(Misuse) in
      try LuaTable(index, in: state).forEachField { key, field throws(Misuse) in
        isEmpty = false
        isAPI = isAPI || handles.object(field, .service, as: Service.self) != nil
        guard let name = key.string else { return }
        isAPI = isAPI || name == "service" || name == "calls"
        guard field.kind == Int32(LULL_TABLE) else { return }
        isAPI = isAPI || NearestName.suggestion(for: name, among: ["service", "calls"]) != nil
      }
    }
    guard case .success = visited, !isAPI, !isEmpty else { return nil }
    return "a table without a 'service'"
  }
}
