import CLullBridge
import LullCore

extension LuaHost {
  /// A value on a stack as it is to be shown. Code of the script runs only in `__tostring`.
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
    case Int(LULL_NUMBER): .atom(text(of: index, in: state) ?? "number", .number)
    case Int(LULL_STRING):
      .string(
        LuaHost.string(value) ?? "", limit: path.isEmpty ? limits.topString : limits.string)
    case Int(LULL_OBJECT): shown(object: value, at: index, in: state, isInside: !path.isEmpty)
    case Int(LULL_FUNCTION): .atom(functionText(index, in: state), .object)
    case Int(LULL_TABLE): shown(table: index, in: state, limits, &path)
    default: .atom(text(of: index, in: state) ?? LuaHost.typeName(value), .object)
    }
  }

  // MARK: Tables

  private func shown(
    table: Int32, in state: OpaquePointer?, _ limits: ShownValue.Limits,
    _ path: inout [UnsafeRawPointer?]
  ) -> ShownValue {
    let isArray = lull_is_json_array(state, table) != 0
    if !isArray, lull_has_metafield(state, table, "__tostring") != 0 {
      return .atom(text(of: table, in: state) ?? "<table whose __tostring raises>", .object)
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

  /// The entries that are no elements of the list, sorted by key as far as they have been looked at;
  /// without limits only whether there are any.
  private func fields(
    of table: Int32, beyond length: Int, in state: OpaquePointer?, _ limits: ShownValue.Limits?,
    _ path: inout [UnsafeRawPointer?]
  ) -> ([ShownValue.Field], ShownValue.Rest) {
    struct Entry {
      let order: Int
      let number: Double
      let field: ShownValue.Field
    }
    var entries: [Entry] = []
    var looks = 0
    let keys = lull_table_begin(state)
    guard keys != 0 else { return ([], .unknown) }
    var key = lull_value()
    var value = lull_value()
    var rest = ShownValue.Rest.none
    while lull_table_next(state, table, &key, &value) != 0 {
      if key.kind == Int32(LULL_INTEGER), key.integer >= 1, key.integer <= Int64(length) {
        lull_table_pop_value(state, keys)
        // A long list is not walked to its end for what may come after it.
        looks += 1
        if looks > length + (limits?.looks ?? 1) { break }
        continue
      }
      guard let limits, entries.count < limits.looks else {
        rest = .unknown
        lull_table_leave(state, keys)
        break
      }
      let top = lull_stack_top(state)
      let name =
        LuaHost.string(key).map(ShownValue.key)
        ?? "[" + (ShownValueText.plain(shown(key, at: top - 1, in: state, limits, &path))) + "]"
      entries.append(
        Entry(
          order: key.kind == Int32(LULL_STRING) ? 1 : LuaHost.number(key) != nil ? 0 : 2,
          number: LuaHost.number(key) ?? 0,
          field: .init(
            key: name,
            value: entries.count < limits.elements
              ? shown(value, at: top, in: state, limits, &path) : .atom("", .faint))))
      lull_table_pop_value(state, keys)
    }
    guard let limits else { return ([], rest) }
    // Values were read in the order of the table, so only what is all shown can be sorted.
    if entries.count <= limits.elements {
      entries.sort { ($0.order, $0.number, $0.field.key) < ($1.order, $1.number, $1.field.key) }
    } else if rest == .none {
      rest = .count(entries.count - limits.elements)
    }
    return (entries.prefix(limits.elements).map(\.field), rest)
  }

  // MARK: Objects and functions

  private func shown(
    object value: lull_value, at index: Int32, in state: OpaquePointer?, isInside: Bool
  ) -> ShownValue {
    if let resource = object(value, .resource, as: Resource.self) {
      return .atom(description(of: resource), .object)
    }
    let name = text(of: index, in: state) ?? LuaHost.typeName(value)
    if !isInside, let box = object(value, .entity, as: EntityBox.self) {
      return .titled(name, shown(box.entity.content))
    }
    return .atom(name, .object)
  }

  /// With its state and the age of what it has: `Resource(/users/7 [D] 4 s old)`.
  func description(of resource: Resource) -> String {
    let timestamp = resource.record.state.timestamp
    let age = timestamp > 0 ? " " + Age.text(pump.clock.now - timestamp) + " old" : ""
    return "Resource(\(resource.shortDescription)\(age))"
  }

  /// What Lua made of it is its own to show.
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
    if let (owner, entry) = described(function: index, in: state) {
      return "function " + owner.spelling(of: entry)
    }
    let mark = lull_arena_mark(runtime)
    defer { lull_arena_release(runtime, mark) }
    let place = String(cString: lull_function_place(runtime, state, index))
    return place.isEmpty ? text(of: index, in: state) ?? "function" : "function (\(place))"
  }
}

/// How long ago something was, in words.
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
