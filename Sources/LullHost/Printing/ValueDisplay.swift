import CLullBridge
import LullCore

/// Converts the values on a Lua stack for display at a prompt.
struct ValueDisplay {
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let now: Double

  init(_ bridge: BridgeRuntime, _ handles: ObjectHandles, at now: Double) {
    self.bridge = bridge
    self.handles = handles
    self.now = now
  }

  /// Returns the value at a stack index for display. The only script code that may run is
  /// `__tostring`, if the limits allow it.
  func shown(
    _ index: Int32, in state: OpaquePointer?, limits: ShownValue.Limits = .init()
  ) -> ShownValue {
    var value = lull_value()
    lull_read(state, index, &value)
    var path: [UnsafeRawPointer?] = []
    return shown(value, at: index, in: state, limits, &path)
  }

  private func shown(
    _ value: lull_value, at index: Int32, in state: OpaquePointer?, _ limits: ShownValue.Limits,
    _ path: inout [UnsafeRawPointer?]
  ) -> ShownValue {
    switch Int(value.kind) {
    case Int(LULL_NIL): .atom("nil", .word)
    case Int(LULL_NULL): .atom("null", .word)
    case Int(LULL_BOOLEAN): .atom(value.integer != 0 ? "true" : "false", .word)
    case Int(LULL_INTEGER): .atom(String(value.integer), .number)
    case Int(LULL_DIGITS): .atom(value.digits ?? "number", .number)
    case Int(LULL_NUMBER): .atom(bridge.text(of: index, in: state) ?? "number", .number)
    case Int(LULL_STRING):
      .string(
        bytes: ValueDisplay.bytes(value), limit: path.isEmpty ? limits.topString : limits.string)
    case Int(LULL_OBJECT): shown(object: value, at: index, in: state, isInside: !path.isEmpty)
    case Int(LULL_FUNCTION): .atom(functionText(index, in: state), .object)
    case Int(LULL_TABLE): shown(table: index, in: state, limits, &path)
    default: shown(other: value, at: index, in: state, limits, isInside: !path.isEmpty)
    }
  }

  /// Returns the bytes of a string. They are valid while the string is on the Lua stack.
  private static func bytes(_ value: lull_value) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: value.pointer, count: Int(value.extra))
  }

  private func shown(
    other value: lull_value, at index: Int32, in state: OpaquePointer?,
    _ limits: ShownValue.Limits, isInside: Bool
  ) -> ShownValue {
    let text = limits.mayCall ? bridge.text(of: index, in: state) : nil
    let name = text ?? value.typeName
    var place: UInt64 = 0
    guard !isInside, let document = lull_document_at(state, index, &place) else {
      return .atom(name, .object)
    }
    // The parsed document is used, because Lua has only a view of it.
    let element = JSONElement(document: JSONDocument(sharing: document), index: Int(place))
    return .titled(name, ShownValue(element))
  }

  // MARK: Tables

  private func shown(
    table: Int32, in state: OpaquePointer?, _ limits: ShownValue.Limits,
    _ path: inout [UnsafeRawPointer?]
  ) -> ShownValue {
    let isArray = lull_is_json_array(state, table) != 0
    if !isArray, lull_has_metafield(state, table, "__tostring") != 0 {
      guard limits.mayCall else { return .atom("<table>", .object) }
      return .atom(bridge.text(of: table, in: state) ?? "<table whose __tostring raises>", .object)
    }
    if lull_push_read_only(state, table) != 0 {
      defer { lull_pop(state, 1) }
      return shown(table: lull_stack_top(state), in: state, limits, &path)
    }
    let address = UnsafeRawPointer(lull_table_address(state, table))
    if path.contains(address) { return .cycle }
    let length = Int(lull_length(state, table))
    let isDeep = path.count >= limits.depth
    path.append(address)
    defer { path.removeLast() }
    var elements: [ShownValue] = []
    if !isDeep {
      for position in 0..<min(length, limits.elements) {
        var element = lull_value()
        lull_push_element(state, table, Int64(position + 1), &element)
        elements.append(shown(element, at: lull_stack_top(state), in: state, limits, &path))
        lull_pop(state, 1)
      }
    }
    let (fields, rest) = self.fields(
      of: table, beyond: length, in: state, isDeep ? nil : limits, &path)
    if length == 0, fields.isEmpty, rest == .none {
      return .atom(isArray ? "[]" : "{}", .faint)
    }
    if isDeep { return .atom("{…}", .faint) }
    let left = length - elements.count
    if fields.isEmpty, rest == .none {
      return .list(elements, more: left > 0 ? .count(left) : .none)
    }
    let positions = elements.enumerated().map { element in
      ShownValue.Field(key: "", value: element.element)
    }
    return .map(positions + fields, more: left > 0 ? .count(left) : rest)
  }

  /// Returns the entries of a table that are not list elements: the first entries in sort order of
  /// their keys, and the number of omitted entries. If `limits` is nil, the result only shows
  /// whether there are any entries.
  private func fields(
    of table: Int32, beyond length: Int, in state: OpaquePointer?, _ limits: ShownValue.Limits?,
    _ path: inout [UnsafeRawPointer?]
  ) -> ([ShownValue.Field], ShownValue.Rest) {
    var keys = FirstKeys(limit: limits?.elements ?? 0)
    let places = limits == nil ? [:] : places(ofKeysOf: table, in: state)
    let isCounted = visit(table, beyond: length, in: state) { key, _ in
      keys.add(
        ShownKey(key, place: places.isEmpty ? nil : places[Array(ValueDisplay.name(key))]))
      return limits != nil
    }
    guard let limits else { return ([], keys.count > 0 ? .unknown : .none) }
    guard isCounted else { return ([], .unknown) }
    let ranks = keys.ranks
    var fields = [ShownValue.Field?](repeating: nil, count: ranks.count)
    var position = 0
    _ = visit(table, beyond: length, in: state) { key, value in
      defer { position += 1 }
      guard let rank = ranks[position] else { return true }
      let top = lull_stack_top(state)
      let name =
        key.kind == Int32(LULL_STRING)
        ? ShownValue.key(bytes: ValueDisplay.bytes(key))
        : "[" + ShownValueText.plain(shown(key, at: top - 1, in: state, limits, &path)) + "]"
      fields[rank] = .init(key: name, value: shown(value, at: top, in: state, limits, &path))
      return true
    }
    let rest = keys.count - ranks.count
    return (fields.compactMap(\.self), rest > 0 ? .count(rest) : .none)
  }

  /// If a table was built from a document, returns the position of each key in that document.
  /// Otherwise returns an empty dictionary.
  private func places(ofKeysOf table: Int32, in state: OpaquePointer?) -> [[UInt8]: Int] {
    guard lull_push_key_order(state, table) != 0 else { return [:] }
    defer { lull_pop(state, 1) }
    let order = lull_stack_top(state)
    var places: [[UInt8]: Int] = [:]
    for position in 0..<Int(lull_length(state, order)) {
      var key = lull_value()
      lull_push_element(state, order, Int64(position + 1), &key)
      places[Array(ValueDisplay.name(key))] = position
      lull_pop(state, 1)
    }
    return places
  }

  /// Returns the bytes of a string key; empty for any other key.
  private static func name(_ key: lull_value) -> UnsafeRawBufferPointer {
    key.kind == Int32(LULL_STRING) ? bytes(key) : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Calls `body` with each entry of a table that is not a list element, until `body` returns
  /// false. This function returns false if there is not enough memory.
  private func visit(
    _ table: Int32, beyond length: Int, in state: OpaquePointer?,
    _ body: (_ key: lull_value, _ value: lull_value) -> Bool
  ) -> Bool {
    let keys = lull_table_begin(state)
    guard keys != 0 else { return false }
    var key = lull_value()
    var value = lull_value()
    while lull_table_next(state, table, &key, &value) == 1 {
      let isElement =
        key.kind == Int32(LULL_INTEGER) && key.integer >= 1 && key.integer <= Int64(length)
      guard isElement || body(key, value) else {
        lull_table_leave(state, keys)
        return true
      }
      lull_table_pop_value(state, keys)
    }
    return true
  }

  // MARK: Objects and functions

  private func shown(
    object value: lull_value, at index: Int32, in state: OpaquePointer?, isInside: Bool
  ) -> ShownValue {
    if let resource = handles.object(value, .resource, as: Resource.self) {
      return .atom(description(of: resource), .object)
    }
    let name = bridge.text(of: index, in: state) ?? value.typeName
    if !isInside, let box = handles.object(value, .entity, as: EntityBox.self) {
      return .titled(name, shown(box.entity.content))
    }
    return .atom(name, .object)
  }

  /// Returns a resource with its state and the age of its data: `Resource(/users/7 [D] 4 s old)`.
  private func description(of resource: Resource) -> String {
    let timestamp = resource.record.state.timestamp
    let age = timestamp > 0 ? " " + Age.text(now - timestamp) + " old" : ""
    return "Resource(\(resource.shortDescription)\(age))"
  }

  /// Returns a request for display, with its content if it has succeeded.
  func shown(_ request: Request, in state: OpaquePointer?) -> ShownValue {
    let name = request.luaText
    guard case .success(let entity)? = request.response?.outcome else {
      return .atom(name, .object)
    }
    guard case .foreign(let foreign) = entity.content,
      lull_push_kept(bridge.pointer, state, foreign.id) != 0
    else { return .titled(name, shown(entity.content)) }
    defer { lull_pop(state, 1) }
    return .titled(name, shown(lull_stack_top(state), in: state))
  }

  /// Returns content for display. For content that Lua code created, only the kind of content is
  /// shown.
  private func shown(_ content: Content) -> ShownValue {
    switch content {
    case .json(let document): return ShownValue(document.root)
    case .text(let text): return .string(text, limit: ShownValue.Limits().topString)
    case .bytes(let bytes): return .atom("\(bytes.count) bytes", .faint)
    case .value(let value): return .atom(String(describing: value), .object)
    case .foreign(let foreign): return .atom("a \(foreign.typeName) of the script", .object)
    }
  }

  private func functionText(_ index: Int32, in state: OpaquePointer?) -> String {
    if let (owner, entry) = FunctionLookup(bridge).described(function: index, in: state) {
      return "function " + owner.spelling(of: entry)
    }
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    let place = String(escapingCString: lull_function_place(bridge.pointer, state, index))
    return place.isEmpty ? bridge.text(of: index, in: state) ?? "function" : "function (\(place))"
  }
}

/// Formats a duration for display.
package enum Age {
  package static func text(_ seconds: Double) -> String {
    switch seconds {
    case ..<60: "\(Int(max(0, seconds))) s"
    case ..<3600: "\(Int(seconds / 60)) min"
    case ..<86400: "\(Int(seconds / 3600)) h"
    default: "\(Int(seconds / 86400)) d"
    }
  }
}
