public import LullCore

extension Optional: LuaEncodable where Wrapped: LuaEncodable {
  /// Returns the Lua value of the wrapped value, or `nil` if there is none. Inside a table, this
  /// `nil` becomes `lull.null`.
  ///
  /// - Throws: the error of the wrapped value's conversion.
  public func luaValue() throws(LuaError) -> Lua.Value {
    guard let self else { return .nil }
    return try self.luaValue()
  }
}

extension Optional: LuaDecodable where Wrapped: LuaDecodable {
  /// Converts a Lua value to `Wrapped`. Returns nil for `nil` and for `lull.null`.
  ///
  /// - Throws: the error of the conversion to `Wrapped`.
  public static func from(lua value: Lua.Value) throws(LuaError) -> Wrapped? {
    switch value {
    case .nil, .null: return nil
    default: return try Wrapped.from(lua: value)
    }
  }
}

extension Array: LuaEncodable where Element: LuaEncodable {
  /// Returns the array as a Lua table, or as a Lua string if the elements are bytes.
  ///
  /// - Throws: the error of an element's conversion.
  public func luaValue() throws(LuaError) -> Lua.Value {
    if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .bytes(bytes) }
    var elements: [Lua.Value] = []
    elements.reserveCapacity(count)
    for element in self { elements.append(try element.luaValue().orNull) }
    return .list(elements)
  }
}

extension Array: LuaDecodable where Element: LuaDecodable {
  /// Returns the elements of a table, from index 1 on. A table that has other keys as well does not
  /// convert. An array of bytes can also be converted from a string.
  ///
  /// - Throws: `mismatch`, which names the element.
  public static func from(lua value: Lua.Value) throws(LuaError) -> [Element] {
    switch value {
    case .table(let table): return try table.elements()
    case .string(let string) where Element.self == UInt8.self:
      if let bytes = [UInt8](string.utf8) as? [Element] { return bytes }
    case .bytes(let bytes) where Element.self == UInt8.self:
      if let bytes = bytes as? [Element] { return bytes }
    default: break
    }
    throw .expected("a table", value)
  }
}

extension Dictionary: LuaEncodable where Key: LuaEncodable, Value: LuaEncodable {
  public func luaValue() throws(LuaError) -> Lua.Value {
    var pairs: [(key: Lua.Value, value: Lua.Value)] = []
    pairs.reserveCapacity(count)
    for (key, value) in self {
      pairs.append((try key.luaValue(), try value.luaValue().orNull))
    }
    return .map(pairs)
  }
}

extension Dictionary: LuaDecodable where Key: LuaDecodable, Value: LuaDecodable {
  /// Returns all fields of a table. Every key and value must have the right type.
  ///
  /// - Throws: `mismatch`, which names the field.
  public static func from(lua value: Lua.Value) throws(LuaError) -> [Key: Value] {
    guard case .table(let table) = value else { throw .expected("a table", value) }
    return try table.nested { () throws(LuaError) in
      var result: [Key: Value] = [:]
      for (key, value) in try table.entries() {
        let place = "field \(Lua.Value.described(key))"
        do throws(LuaError) {
          result[try Key.from(lua: key)] = try Value.from(lua: value)
        } catch {
          throw error.inside(place)
        }
      }
      return result
    }
  }
}

extension Lua.Table {
  /// The maximum nesting depth of tables converted to Swift.
  private static let deepest = 200

  /// Returns the elements of a Lua table that is a list, all converted to one type.
  func elements<Element: LuaDecodable>() throws(LuaError) -> [Element] {
    try nested { () throws(LuaError) in
      let entries = try self.entries()
      var found: [Element?] = Array(repeating: nil, count: entries.count)
      for (key, value) in entries {
        guard case .int(let position) = key, position >= 1, position <= entries.count else {
          throw .mismatch(
            "a table expected with elements from 1 to \(entries.count) only, got one with the key "
              + Lua.Value.described(key))
        }
        do throws(LuaError) {
          found[position - 1] = try Element.from(lua: value)
        } catch {
          throw error.inside("element \(position)")
        }
      }
      return found.compactMap(\.self)
    }
  }

  /// Runs the conversion of a table whose values may be tables. Throws if tables are nested too
  /// deeply, as in a table that contains itself.
  func nested<R>(_ body: () throws(LuaError) -> R) throws(LuaError) -> R {
    let core = reference.core
    guard core.readingDepth < Lua.Table.deepest else {
      throw .mismatch(
        "more than \(Lua.Table.deepest) nested tables: does a table contain itself?")
    }
    core.readingDepth += 1
    defer { core.readingDepth -= 1 }
    return try body()
  }
}

extension JSONValue: LuaConvertible {
  /// Converts JSON to Lua. Arrays and objects become tables, and null becomes `lull.null`. If an
  /// object has a key several times, the last value is used.
  ///
  /// - Throws: `mismatch` if a value has no Lua form.
  public func luaValue() throws(LuaError) -> Lua.Value {
    switch self {
    case .null: return .null
    case .bool(let bool): return .bool(bool)
    case .int(let int): return .int(int)
    case .double(let double): return .number(double)
    case .string(let string): return .string(string)
    case .array(let elements):
      var values: [Lua.Value] = []
      for element in elements { values.append(try element.luaValue()) }
      return .list(values)
    case .object(let members):
      var pairs: [(key: Lua.Value, value: Lua.Value)] = []
      for member in members { pairs.append((.string(member.key), try member.value.luaValue())) }
      return .map(pairs)
    }
  }

  /// Converts a Lua value to the JSON that `lull.json.encode` would write for it.
  ///
  /// - Throws: `mismatch` for tables that contain themselves, functions and NaN.
  public static func from(lua value: Lua.Value) throws(LuaError) -> JSONValue {
    switch value {
    case .nil, .null: return .null
    case .bool(let bool): return .bool(bool)
    case .int(let int): return .int(int)
    case .number(let number): return .double(number)
    case .string(let string): return .string(string)
    case .table(let table): return try table.json()
    case .other(let reference): return try reference.core.json(of: value)
    default: throw .expected("a JSON value", value)
    }
  }
}
