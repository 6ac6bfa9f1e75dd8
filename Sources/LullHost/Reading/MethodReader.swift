import CLullBridge
package import LullCore

/// Reads HTTP methods, in any letter case.
package enum MethodReader {
  /// An HTTP method. (DYN-01)
  package static func method(_ text: String) throws(Misuse) -> RequestMethod {
    guard let method = RequestMethod(rawValue: text) else {
      throw .message("'\(text)' is not an HTTP method")
    }
    return method
  }

  /// `methods = { "GET", … }`
  static func methods(_ value: lull_value, _ index: Int32, in state: OpaquePointer?) throws(Misuse)
    -> Set<RequestMethod>
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'methods' must be a list of HTTP methods, got \(value.typeName)")
    }
    var methods: Set<RequestMethod> = []
    try LuaTable(index, in: state).forEachField { _, element throws(Misuse) in
      guard let text = element.string else {
        throw .message("'methods' must be a list of HTTP methods")
      }
      methods.insert(try method(text))
    }
    return methods
  }
}
