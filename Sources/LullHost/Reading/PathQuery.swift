import CLullBridge
import LullCore

/// Detects a query at the end of a path, such as `?name=value`.
enum PathQuery {
  /// Returns the first parameter of the query for display, or nil if the path has no query.
  static func first(in path: UnsafeBufferPointer<UInt8>) -> (name: String, value: String)? {
    guard let mark = path.lastIndex(of: UInt8(ascii: "?")) else { return nil }
    let query = path[(mark + 1)...].prefix { $0 != UInt8(ascii: "&") }
    guard let equals = query.firstIndex(of: UInt8(ascii: "=")), equals > query.startIndex,
      !query[..<equals].contains(UInt8(ascii: "/"))
    else { return nil }
    let text = { (part: Slice<UnsafeBufferPointer<UInt8>>) in
      LogText.part(String(decoding: part, as: UTF8.self), limit: 40)
    }
    let name = text(query[..<equals])
    // The value may be an API key, so it is hidden if the name suggests that.
    let value = CredentialName.names(name) ? "…" : text(query[(equals + 1)...])
    return (name, value)
  }
}

/// A change to the query of a resource's URL, described by a table of query parameters. (PATH-20 to
/// PATH-29)
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

/// A query parameter from a script. Its strings need not be valid UTF-8.
struct RawParameter {
  let name: [UInt8]
  /// The value of the parameter; nil removes the parameter from the URL.
  let value: [UInt8]?

  /// Reads a parameter from a name and a value.
  ///
  /// - Parameter text: the name of the parameter in error messages.
  init(_ name: lull_value, _ value: lull_value, called text: String) throws(Misuse) {
    self.name = name.bytes ?? []
    let parameter = try RawParameter.text(of: value, name: text)
    // If there is not enough memory to copy the string, the run ends, so the value of the string
    // does not matter.
    let isString = value.kind == Int32(LULL_STRING)
    self.value = parameter.map { isString ? value.bytes ?? [] : Array($0.utf8) }
  }

  /// Returns the text of a parameter's value, which is a string, a number or true. Returns nil for
  /// false and nil, which remove the parameter. (DYN-06)
  private static func text(of value: lull_value, name: String) throws(Misuse) -> String? {
    switch Int(value.kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_BOOLEAN): return value.integer != 0 ? "true" : nil
    default:
      guard let text = value.text, value.double?.isFinite ?? true else {
        throw .message(
          "parameter '\(name)' must be a string, a finite number or a boolean, got "
            + value.described)
      }
      return text
    }
  }
}
