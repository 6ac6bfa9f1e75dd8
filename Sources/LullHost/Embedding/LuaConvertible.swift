import LullCore

/// A type whose values convert to Lua.
///
/// Lull defines the conversion for integers, floating-point numbers, `Bool`, `String`, `[UInt8]`
/// (as a byte string), arrays, dictionaries, optionals, `JSONValue` and Lull's own objects. A type
/// of your program defines its own conversion:
///
///     extension Money: LuaEncodable {
///       func luaValue() throws(LuaError) -> Lua.Value {
///         try ["amount": cents, "currency": 978].luaValue()
///       }
///     }
public protocol LuaEncodable {
  /// Returns the value in Lua.
  ///
  /// - Throws: `LuaError.Kind.mismatch` if the value has no Lua form.
  func luaValue() throws(LuaError) -> Lua.Value
}

/// A type whose values convert from Lua.
public protocol LuaDecodable {
  /// Creates a value of this type from a Lua value.
  ///
  /// - Throws: `LuaError.Kind.mismatch` if the value does not convert; create the error with
  ///   `LuaError.mismatch`.
  static func from(lua value: Lua.Value) throws(LuaError) -> Self
}

/// A type whose values convert both to and from Lua.
public typealias LuaConvertible = LuaEncodable & LuaDecodable

extension Lua.Value {
  /// The value itself, or `null` if the value is `nil`. A field of a Lua table can't be `nil`.
  var orNull: Lua.Value { isNil ? .null : self }

  static func all<each Argument: LuaEncodable>(
    _ arguments: repeat each Argument
  ) throws(LuaError) -> [Lua.Value] {
    var values: [Lua.Value] = []
    for argument in repeat each arguments { values.append(try argument.luaValue()) }
    return values
  }

  /// Returns a table key in the form in which error messages show it.
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

  /// If this is a mismatch error, returns a copy whose message begins with the place of the nested
  /// value. Returns any other error unchanged.
  func inside(_ place: String) -> LuaError {
    guard kind == .mismatch else { return self }
    return LuaError(.mismatch, "\(place): \(message)")
  }
}
