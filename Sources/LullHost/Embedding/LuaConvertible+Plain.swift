extension Bool: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .bool(self) }

  public static func from(lua value: Lua.Value) throws(LuaError) -> Bool {
    guard case .bool(let bool) = value else { throw .expected("a boolean", value) }
    return bool
  }
}

extension String: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .string(self) }

  /// Converts a Lua string that is valid UTF-8. Numbers are not converted to strings.
  ///
  /// - Throws: `mismatch` for any other value.
  public static func from(lua value: Lua.Value) throws(LuaError) -> String {
    switch value {
    case .string(let string): return string
    case .bytes: throw .mismatch("a string expected, got bytes that are not valid UTF-8")
    default: throw .expected("a string", value)
    }
  }
}

extension Double: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .number(self) }

  /// Converts a Lua float, or a Lua integer that a `Double` represents exactly.
  ///
  /// - Throws: `mismatch` for any other value.
  public static func from(lua value: Lua.Value) throws(LuaError) -> Double {
    switch value {
    case .number(let number): return number
    case .int(let int):
      guard let number = Double(exactly: int) else {
        throw .mismatch("\(int) does not fit a Double exactly")
      }
      return number
    default: throw .expected("a number", value)
    }
  }
}

extension Float: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .number(Double(self)) }

  /// Converts a Lua number to the nearest `Float`.
  ///
  /// - Throws: `mismatch` for any other value.
  public static func from(lua value: Lua.Value) throws(LuaError) -> Float {
    Float(try Double.from(lua: value))
  }
}

extension FixedWidthInteger {
  /// The value as a Lua integer, which is signed and has 64 bits.
  fileprivate var luaInteger: Lua.Value {
    get throws(LuaError) {
      guard let int = Int(exactly: self) else {
        throw .mismatch("\(self) is beyond Lua's integers of 64 bits")
      }
      return .int(int)
    }
  }

  /// Converts a Lua integer, or a Lua float without a fraction.
  fileprivate static func integer(lua value: Lua.Value) throws(LuaError) -> Self {
    switch value {
    case .int(let int):
      guard let fitting = Self(exactly: int) else {
        throw .mismatch("\(int) does not fit \(Self.self)")
      }
      return fitting
    case .number(let number):
      guard let fitting = Self(exactly: number) else {
        throw .expected("an integer that fits \(Self.self)", value)
      }
      return fitting
    default: throw .expected("an integer", value)
    }
  }
}

extension Int: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .int(self) }
  public static func from(lua value: Lua.Value) throws(LuaError) -> Int { try integer(lua: value) }
}

extension Int8: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { try luaInteger }
  public static func from(lua value: Lua.Value) throws(LuaError) -> Int8 { try integer(lua: value) }
}

extension Int16: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { try luaInteger }
  public static func from(lua value: Lua.Value) throws(LuaError) -> Int16 {
    try integer(lua: value)
  }
}

extension Int32: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { try luaInteger }
  public static func from(lua value: Lua.Value) throws(LuaError) -> Int32 {
    try integer(lua: value)
  }
}

extension Int64: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { try luaInteger }
  public static func from(lua value: Lua.Value) throws(LuaError) -> Int64 {
    try integer(lua: value)
  }
}

extension UInt: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { try luaInteger }
  public static func from(lua value: Lua.Value) throws(LuaError) -> UInt { try integer(lua: value) }
}

extension UInt16: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { try luaInteger }
  public static func from(lua value: Lua.Value) throws(LuaError) -> UInt16 {
    try integer(lua: value)
  }
}

extension UInt32: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { try luaInteger }
  public static func from(lua value: Lua.Value) throws(LuaError) -> UInt32 {
    try integer(lua: value)
  }
}

extension UInt64: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { try luaInteger }
  public static func from(lua value: Lua.Value) throws(LuaError) -> UInt64 {
    try integer(lua: value)
  }
}

/// A single `UInt8` is a number in Lua; an array of them is a string.
extension UInt8: LuaConvertible {
  public func luaValue() throws(LuaError) -> Lua.Value { .int(Int(self)) }
  public static func from(lua value: Lua.Value) throws(LuaError) -> UInt8 {
    try integer(lua: value)
  }
}
