import Glibc
import CLullBridge
import LullCore

// A string that the ledger does not allow to be copied reads as none: the run ends.
extension LuaHost {
  /// A string as people read it: what is no UTF-8 is spelled out. (`requireText` refuses it, `bytes`
  /// has it as it is.)
  static func string(_ value: lull_value) -> String? {
    guard value.kind == Int32(LULL_STRING), mayBeCopied(value) else { return nil }
    // The bytes stay on Lua's stack during the call they were read in.
    return String(
      escaping: UnsafeRawBufferPointer(start: value.pointer, count: Int(value.extra)))
  }

  /// Refuses a string that is no text where it could not stay what it is.
  static func requireText(_ value: lull_value, _ what: @autoclosure () -> String) throws(Misuse) {
    guard value.kind == Int32(LULL_STRING), !isValidUTF8(value) else { return }
    throw .message(
      "\(what()) is not valid UTF-8: '\(LogText.part(string(value), limit: 100))'")
  }

  static func bytes(_ value: lull_value) -> [UInt8]? {
    guard value.kind == Int32(LULL_STRING), mayBeCopied(value) else { return nil }
    return Array(UnsafeRawBufferPointer(start: value.pointer, count: Int(value.extra)))
  }

  /// A string as a URL, bytes that are no UTF-8 being percent-encoded.
  static func urlText(_ value: lull_value) -> String? {
    withBytes(of: value) { ResourceURL.text(ofBytes: $0) }
  }

  /// The bytes of a string, which stay on Lua's stack during the call they were read in.
  static func withBytes<R>(
    of value: lull_value, _ body: (UnsafeBufferPointer<UInt8>) -> R
  ) -> R? {
    guard value.kind == Int32(LULL_STRING), mayBeCopied(value) else { return nil }
    let raw = UnsafeRawBufferPointer(start: value.pointer, count: Int(value.extra))
    return raw.withMemoryRebound(to: UInt8.self, body)
  }

  /// Small strings are not asked for.
  private static func mayBeCopied(_ value: lull_value) -> Bool {
    value.extra < 4096 || MemoryLedger.allows(Int(value.extra))
  }

  static func isValidUTF8(_ value: lull_value) -> Bool {
    let raw = UnsafeRawBufferPointer(start: value.pointer, count: Int(value.extra))
    return raw.withMemoryRebound(to: UInt8.self) { UTF8Validation.isValid($0) }
  }

  static func number(_ value: lull_value) -> Double? {
    switch Int(value.kind) {
    case Int(LULL_INTEGER): Double(value.integer)
    case Int(LULL_NUMBER): value.number
    default: nil
    }
  }

  static func bool(_ value: lull_value) -> Bool? {
    value.kind == Int32(LULL_BOOLEAN) ? value.integer != 0 : nil
  }

  /// A value that is nothing but itself; nil for any other.
  static func scalar(_ value: lull_value) -> RaisedValue? {
    switch Int(value.kind) {
    case Int(LULL_BOOLEAN): .boolean(value.integer != 0)
    case Int(LULL_INTEGER): .integer(value.integer)
    case Int(LULL_NUMBER): .number(value.number)
    case Int(LULL_STRING): bytes(value).map { .string(ByteString($0)) }
    default: nil
    }
  }

  /// The word for a value's type in messages.
  static func typeName(_ value: lull_value) -> String {
    switch Int(value.kind) {
    case Int(LULL_NIL): "nil"
    case Int(LULL_BOOLEAN): "boolean"
    case Int(LULL_INTEGER), Int(LULL_NUMBER): "number"
    case Int(LULL_STRING): "string"
    case Int(LULL_NULL): "lull.null"
    case Int(LULL_TABLE): "table"
    case Int(LULL_FUNCTION): "function"
    case Int(LULL_OBJECT): HandleKind(rawValue: value.aux)?.description ?? "userdata"
    default: "userdata"
    }
  }

  /// A value in messages: itself if it is short, else its type.
  static func described(_ value: lull_value) -> String {
    switch Int(value.kind) {
    case Int(LULL_BOOLEAN): value.integer != 0 ? "true" : "false"
    case Int(LULL_INTEGER), Int(LULL_NUMBER): text(value) ?? "number"
    case Int(LULL_STRING): "'\(LogText.part(string(value), limit: 40))'"
    default: typeName(value)
    }
  }

  /// Visits the fields of a table on `state`; `body` may use the stack but must leave it as it was.
  /// Metamethods are not consulted.
  func forEachField(
    of table: Int32, in state: OpaquePointer?,
    _ body: (lull_value, lull_value) throws(Misuse) -> Void
  ) throws(Misuse) {
    let keys = lull_table_begin(state)
    guard keys != 0 else { throw .message("the Lua stack is full") }
    var key = lull_value()
    var value = lull_value()
    while true {
      let found = lull_table_next(state, table, &key, &value)
      guard found >= 0 else { throw .message("not enough memory") }
      guard found > 0 else { return }
      do throws(Misuse) {
        try body(key, value)
        // Nothing is made of a part of it.
        if MemoryLedger.hasRefused { throw .message("not enough memory") }
      } catch {
        lull_table_leave(state, keys)
        throw error
      }
      lull_table_pop_value(state, keys)
    }
  }

  /// The stack position of the value being visited by `forEachField`.
  func visitedIndex(in state: OpaquePointer?) -> Int32 { lull_stack_top(state) }

  /// Settings whose strings are bytes: contents, the text that has an error of its own, and a URL.
  private static let binarySettings: Set<String> = [
    "body", "text", "data", "content", "cause", "base_url",
  ]

  /// Visits an options table whose keys must be known names; `owner` is what it is the value of.
  func forEachOption(
    of table: Int32, in state: OpaquePointer?, known: [String], owner: String? = nil,
    _ body: (String, lull_value) throws(Misuse) -> Void
  ) throws(Misuse) {
    try forEachField(of: table, in: state) { key, value throws(Misuse) in
      guard let name = LuaHost.string(key) else {
        let place = owner.map { " in '\($0)'" } ?? ""
        throw .message(
          "unknown setting of type \(LuaHost.typeName(key))\(place); settings have names")
      }
      do throws(Misuse) {
        guard known.contains(name) else { throw unknownSetting(name, among: known) }
        if !LuaHost.binarySettings.contains(name) { try LuaHost.requireText(value, "'\(name)'") }
        try body(name, value)
      } catch {
        guard let checker, let place = LuaHost.place(of: state) else { throw error }
        // One that checks a file wants to hear of the others too.
        checker.note(
          error.text,
          at: SourcePlace(file: place.file, line: line(of: name, inCallAt: place) ?? place.line))
      }
    }
  }

  /// A number as the nearest integer; nil if it is none, or beyond 64 bits.
  static func wholeNumber(_ value: lull_value) -> Int? {
    if value.kind == Int32(LULL_INTEGER) { return Int(value.integer) }
    return number(value).flatMap { Int(exactly: $0.rounded()) }
  }

  /// Whether a field of the table, also one its metatable provides, is a function.
  func hasFunction(_ state: OpaquePointer?, _ index: Int32, _ name: StaticString) throws(Misuse)
    -> Bool
  {
    let found = lull_has_function(state, index, name.cString)
    guard found >= 0 else { throw .message("not enough memory") }
    return found > 0
  }

  func unknownSetting(_ name: String, among known: [String]) -> Misuse {
    if let near = NearestName.suggestion(for: name, among: known) {
      return .message("unknown setting '\(name)' (did you mean '\(near)'?)")
    }
    guard known.count <= 16 else { return .message("unknown setting '\(name)'") }
    return .message("unknown setting '\(name)'; there are \(known.joined(separator: ", "))")
  }

  /// Keeps the value at `index` under a new id, weakly; the caller anchors it.
  func keep(_ state: OpaquePointer?, _ index: Int32) throws(Misuse) -> Int64 {
    let id = makeID()
    guard lull_value_keep(runtime, state, index, id) == 0 else {
      throw .message("not enough memory")
    }
    return id
  }

  /// Keeps a closure for as long as the service's userdata lives, or until released.
  func keep(_ state: OpaquePointer?, _ index: Int32, anchoredTo service: Service) throws(Misuse)
    -> Int64
  {
    let id = try keep(state, index)
    guard lull_value_anchor_to_object(runtime, handle(of: service), id, id) == 0 else {
      throw .message("not enough memory")
    }
    return id
  }

  /// JSON text of the value at `index`, or where it has no JSON form.
  func encodeJSON(_ state: OpaquePointer?, _ index: Int32) -> Result<[UInt8], JSONProblem> {
    var result = lull_json_result()
    guard lull_json_encode(state, index, 0, &result) == 0 else {
      return .failure(problem(of: result))
    }
    defer {
      free(result.bytes)
      free(result.secrets)
    }
    guard result.secret_count == 0 else {
      return .failure(
        JSONProblem(text: "there is a Secret, which only the body of a request can hold"))
    }
    guard MemoryLedger.allows(result.length) else {
      return .failure(JSONProblem(text: "not enough memory"))
    }
    return .success(
      Array(UnsafeRawBufferPointer(start: result.bytes, count: result.length)))
  }

  /// A body of JSON text, in which secrets stand in the place of strings.
  func encodeJSONBody(_ state: OpaquePointer?, _ index: Int32) -> Result<RequestBody, JSONProblem> {
    var result = lull_json_result()
    guard lull_json_encode(state, index, 0, &result) == 0 else {
      return .failure(problem(of: result))
    }
    defer {
      free(result.bytes)
      free(result.secrets)
    }
    guard MemoryLedger.allows(result.length) else {
      return .failure(JSONProblem(text: "not enough memory"))
    }
    let text = UnsafeRawBufferPointer(start: result.bytes, count: result.length)
    let uses = UnsafeBufferPointer(start: result.secrets, count: result.secret_count)
    guard !uses.isEmpty else { return .success(.json(Array(text))) }
    var template = SecretTemplate()
    var start = 0
    for use in uses {
      guard
        let object = handles.object(use.handle, kind: HandleKind.secret.rawValue)
      else { continue }
      template.append(text[start..<use.start])
      // The table holds objects of one class under each kind.
      template.append(unsafeDowncast(object, to: SecretBox.self).text, .json)
      start = use.end
    }
    template.append(text[start...])
    return .success(.secret(SecretBody(template, contentType: "application/json")))
  }

  private func problem(of result: lull_json_result) -> JSONProblem {
    if result.lacks_room != 0 { lull_memory_pass(runtime) }
    return withUnsafeBytes(of: result.problem) { raw in
      JSONProblem(text: String(escapingCut: raw.prefix { $0 != 0 }))
    }
  }

  struct JSONProblem: Error {
    let text: String
  }

  /// What a value of the script is as content: text, bytes, or the value itself, kept by id. (A
  /// string is text if it is valid UTF-8.) The caller anchors what is kept.
  func content(_ value: lull_value, _ state: OpaquePointer?, _ index: Int32) throws(Misuse)
    -> Content
  {
    switch Int(value.kind) {
    case Int(LULL_STRING):
      if LuaHost.isValidUTF8(value) { return .text(LuaHost.string(value) ?? "") }
      return .bytes(LuaHost.bytes(value) ?? [])
    default:
      let id = try keep(state, index)
      return .foreign(ForeignContent(id: id, typeName: LuaHost.typeName(value)))
    }
  }
}
