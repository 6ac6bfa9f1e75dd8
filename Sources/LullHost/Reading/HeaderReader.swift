import CLullBridge
package import LullCore

/// Reads header values. A string, number or secret sets the header. A list sends the header several
/// times. `false` removes the header and suppresses its default.
package struct HeaderReader {
  private let handles: ObjectHandles

  init(_ handles: ObjectHandles) { self.handles = handles }

  /// Returns the edit that assigns the value at a stack index to a header.
  ///
  /// - Parameter allowsSecrets: whether the header belongs to a request, which may contain secrets.
  func edit(
    _ name: String, _ value: lull_value, _ state: OpaquePointer?, _ index: Int32,
    allowsSecrets: Bool = false
  ) throws(Misuse) -> HeaderEdit {
    if let problem = Headers.problem(name, EmptyCollection()) { throw .message(problem) }
    switch Int(value.kind) {
    case Int(LULL_NIL): return HeaderEdit(name: name, change: .remove)
    case Int(LULL_BOOLEAN) where value.integer == 0: return HeaderEdit(name: name, change: .omit)
    case Int(LULL_TABLE):
      var values: [(position: Int64, value: HeaderEdit.Value)] = []
      try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
        let secret = allowsSecrets ? handles.secret(element) : nil
        let masked = secret.map { Array($0.masked.utf8) }
        guard key.kind == Int32(LULL_INTEGER), let text = masked ?? element.textBytes
        else { throw .message("header '\(name)' must be a string or a list of strings") }
        values.append((key.integer, HeaderEdit.Value(text: text, secret: secret)))
      }
      guard !values.isEmpty else {
        throw .message("header '\(name)' must be a string or a list of strings, got an empty table")
      }
      let sorted = values.sorted { $0.position < $1.position }.map(\.value)
      for value in sorted { try HeaderReader.check(value.text, name, ofRequest: allowsSecrets) }
      return HeaderEdit(name: name, change: .set(sorted))
    case Int(LULL_OBJECT):
      guard allowsSecrets, let secret = handles.secret(value) else { fallthrough }
      let masked = Array(secret.masked.utf8)
      try HeaderReader.check(masked, name, ofRequest: true)
      return HeaderEdit(
        name: name, change: .set([HeaderEdit.Value(text: masked, secret: secret)]))
    default:
      guard let text = value.textBytes else {
        throw .message(
          "header '\(name)' must be a string or a list of strings, got "
            + value.typeName)
      }
      try HeaderReader.check(text, name, ofRequest: allowsSecrets)
      return HeaderEdit(name: name, change: .set([HeaderEdit.Value(text: text, secret: nil)]))
    }
  }

  /// Returns the edits for all fields of a table. Each field replaces the header with its name.
  /// Throws if a field is invalid.
  package func edits(
    table: Int32, in state: OpaquePointer?, allowsSecrets: Bool = false
  ) throws(Misuse) -> HeaderEdits {
    var edits: [HeaderEdit] = []
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      guard let name = key.string else {
        throw .message("header names must be strings, got \(key.typeName)")
      }
      edits.append(
        try edit(
          name, value, state, LuaTable.visitedIndex(in: state), allowsSecrets: allowsSecrets))
    }
    return HeaderEdits(edits: edits)
  }

  private static func check(
    _ bytes: [UInt8], _ name: String, ofRequest: Bool
  ) throws(Misuse) {
    let problem = ofRequest ? Headers.problem(name, bytes) : Headers.answerProblem(name, bytes)
    if let problem { throw .message(problem) }
  }
}

/// A change that a script makes to one header. Its name and values have been checked.
struct HeaderEdit {
  enum Change {
    case remove
    /// Removes the header and suppresses its default value.
    case omit
    case set([Value])
  }

  struct Value {
    /// The value's text, with a mask in place of each secret.
    let text: [UInt8]
    let secret: SecretText?
  }

  let name: String
  let change: Change

  /// The values that the edit sets. Values that contain secrets are left out.
  var plainValues: [[UInt8]] {
    guard case .set(let values) = change else { return [] }
    return values.filter { $0.secret == nil }.map(\.text)
  }

  func apply(to headers: inout RequestHeaders) {
    switch change {
    case .remove: headers.remove(name)
    case .omit: headers.omit(name)
    case .set(let values):
      headers.remove(name)
      for value in values {
        if let secret = value.secret {
          headers.add(name, secret)
        } else {
          headers.add(name, bytes: value.text)
        }
      }
    }
  }

  /// Applies the edit to the headers of a response, which have neither secrets nor defaults.
  func apply(to headers: inout Headers) {
    headers.remove(name)
    guard case .set(let values) = change else { return }
    for value in values { headers.add(name, bytes: value.text) }
  }
}

/// The header edits that a table of headers describes, in the order in which Lua returned the
/// fields.
package struct HeaderEdits {
  fileprivate let edits: [HeaderEdit]

  package func apply(to headers: inout RequestHeaders) {
    for edit in edits { edit.apply(to: &headers) }
  }

  func apply(to headers: inout Headers) {
    for edit in edits { edit.apply(to: &headers) }
  }
}
