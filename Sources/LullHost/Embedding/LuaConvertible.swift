import LullCore

/// A type whose values go to Lua.
///
/// Integers, floating point numbers, `Bool`, `String`, `[UInt8]` (a string of these bytes), arrays,
/// dictionaries, optionals, `JSONValue` and Lull's own objects do. A type of yours says what it is there:
///
///     extension Money: LuaEncodable {
///       func luaValue() throws(LuaError) -> Lua.Value {
///         try ["amount": cents, "currency": 978].luaValue()
///       }
///     }
public protocol LuaEncodable {
  /// What it is in Lua.
  ///
  /// - Throws: `LuaError.Kind.mismatch` where Lua has no such value.
  func luaValue() throws(LuaError) -> Lua.Value
}

/// A type whose values come from Lua.
public protocol LuaDecodable {
  /// The value that Lua has, as this type.
  ///
  /// - Throws: `LuaError.Kind.mismatch` if it is none: `LuaError.mismatch` makes one.
  static func from(lua value: Lua.Value) throws(LuaError) -> Self
}

/// A type whose values go both ways.
public typealias LuaConvertible = LuaEncodable & LuaDecodable

extension Lua.Value {
  /// In a table `nil` would be no field.
  var orNull: Lua.Value { isNil ? .null : self }

  static func all<each Argument: LuaEncodable>(
    _ arguments: repeat each Argument
  ) throws(LuaError) -> [Lua.Value] {
    var values: [Lua.Value] = []
    for argument in repeat each arguments { values.append(try argument.luaValue()) }
    return values
  }

  /// A key in messages.
  static func described(_ key: Lua.Value) -> String {
    switch key {
    case .string(let string): "'\(LogText.part(string, limit: 40))'"
    case .int(let int): "\(int)"
    case .number(let number): "\(number)"
    case .bool(let bool): "\(bool)"
    default: "of type \(key.typeName)"
    }
  }
}

extension LuaDecodable {
  static func first(of values: [Lua.Value]) throws(LuaError) -> Self {
    try from(lua: values.first ?? .nil)
  }
}

extension LuaError {
  static func expected(_ what: String, _ value: Lua.Value) -> LuaError {
    let got =
      switch value {
      case .string(let string): "the string '\(LogText.part(string, limit: 40))'"
      case .int(let int): "the number \(int)"
      case .number(let number): "the number \(number)"
      default: value.typeName
      }
    return .mismatch("\(what) expected, got \(got)")
  }

  /// The same, of a part of something.
  func inside(_ place: String) -> LuaError {
    guard kind == .mismatch else { return self }
    return LuaError(.mismatch, "\(place): \(message)")
  }
}
