import CLullBridge
import LullCore

/// Reads HTTP methods, in any letter case.
package enum MethodReader {
  /// An HTTP method. (DYN-01)
  package static func method(_ text: String) throws(Misuse) -> String {
    guard let method = token(text) else { throw .message("'\(text)' is not an HTTP method") }
    return method
  }

  /// The text in upper case if it is an HTTP token, else nil.
  static func token(_ text: String) -> String? {
    Headers.isName(text) ? text.uppercased() : nil
  }

  /// `methods = { "GET", … }`
  static func methods(_ value: lull_value, _ index: Int32, in state: OpaquePointer?) throws(Misuse)
    -> Set<String>
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'methods' must be a list of HTTP methods, got \(value.typeName)")
    }
    var methods: Set<String> = []
    try LuaTable(index, in: state).forEachField { _, element throws(Misuse) in
      guard let text = element.string else {
        throw .message("'methods' must be a list of HTTP methods")
      }
      methods.insert(try method(text))
    }
    return methods
  }
}
