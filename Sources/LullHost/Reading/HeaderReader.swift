import CLullBridge
package import LullCore

/// Reads header values: a string, number or secret sets, a list sends several, `false` removes and
/// keeps off what would be sent by itself.
package struct HeaderReader {
  private let handles: ObjectHandles

  init(_ handles: ObjectHandles) { self.handles = handles }

  /// The value at `index` becomes that header's.
  ///
  /// - Parameter allowsSecrets: whether these are headers of a request.
  func set(
    _ name: String, _ value: lull_value, _ state: OpaquePointer?, _ index: Int32,
    in headers: inout Headers, allowsSecrets: Bool = false
  ) throws(Misuse) {
    if let problem = Headers.problem(name, EmptyCollection()) { throw .message(problem) }
    switch Int(value.kind) {
    case Int(LULL_NIL): headers.remove(name)
    case Int(LULL_BOOLEAN) where value.integer == 0: headers.omit(name)
    case Int(LULL_TABLE):
      headers.remove(name)
      var values: [(position: Int64, text: [UInt8], secret: SecretText?)] = []
      try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
        let secret = allowsSecrets ? handles.secret(element) : nil
        let masked = secret.map { Array($0.masked.utf8) }
        guard key.kind == Int32(LULL_INTEGER), let text = masked ?? element.textBytes
        else { throw .message("header '\(name)' must be a string or a list of strings") }
        values.append((key.integer, text, secret))
      }
      guard !values.isEmpty else {
        throw .message("header '\(name)' must be a string or a list of strings, got an empty table")
      }
      for value in values.sorted(by: { $0.position < $1.position }) {
        try HeaderReader.check(value.text, name, ofRequest: allowsSecrets)
        if let secret = value.secret {
          headers.add(name, secret)
        } else {
          headers.add(name, bytes: value.text)
        }
      }
    case Int(LULL_OBJECT):
      guard allowsSecrets, let secret = handles.secret(value) else { fallthrough }
      try HeaderReader.check(Array(secret.masked.utf8), name, ofRequest: true)
      headers.remove(name)
      headers.add(name, secret)
    default:
      guard let text = value.textBytes else {
        throw .message(
          "header '\(name)' must be a string or a list of strings, got "
            + value.typeName)
      }
      try HeaderReader.check(text, name, ofRequest: allowsSecrets)
      headers.set(name, bytes: text)
    }
  }

  /// All of a table; none of them if one does not fit.
  package func setAll(
    _ table: Int32, _ state: OpaquePointer?, in headers: inout Headers,
    allowsSecrets: Bool = false
  ) throws(Misuse) {
    var result = headers
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      guard let name = key.string else {
        throw .message("header names must be strings, got \(key.typeName)")
      }
      try set(
        name, value, state, LuaTable.visitedIndex(in: state), in: &result,
        allowsSecrets: allowsSecrets)
    }
    headers = result
  }

  /// What a table of a request's headers does to others: each takes the place of what was there,
  /// secrets included.
  func edit(table: Int32, in state: OpaquePointer?) throws(Misuse) -> (inout Headers) -> Void {
    var edits: [(name: String, value: Headers)] = []
    try LuaTable(table, in: state).forEachField { key, element throws(Misuse) in
      guard let name = key.string else {
        throw .message("header names must be strings, got \(key.typeName)")
      }
      var probe = Headers()
      try set(
        name, element, state, LuaTable.visitedIndex(in: state), in: &probe, allowsSecrets: true)
      edits.append((name, probe))
    }
    return { [edits] headers in for edit in edits { headers.take(edit.name, from: edit.value) } }
  }

  private static func check(
    _ bytes: [UInt8], _ name: String, ofRequest: Bool
  ) throws(Misuse) {
    let problem = ofRequest ? Headers.problem(name, bytes) : Headers.answerProblem(name, bytes)
    if let problem { throw .message(problem) }
  }
}
