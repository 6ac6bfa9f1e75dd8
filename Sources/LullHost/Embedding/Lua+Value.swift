public import LullCore

extension Lua {
  /// A Lua value in Swift.
  ///
  /// Numbers keep their Lua subtype: 64-bit integers, or floats including infinities and NaN. Lua
  /// strings are bytes: valid UTF-8 is represented as `string`, anything else as `bytes`. Tables
  /// and functions are represented by references, and Lull objects are the same objects in Lua and
  /// in Swift. A value can be used only with the runtime that returned it. Home thread only.
  public enum Value {
    /// No value, as for a missing field or the result of a function without results.
    case `nil`
    /// `lull.null`: an explicit null value, for places where `nil` would mean no value, such as
    /// table fields.
    case null
    /// True or false.
    case bool(Bool)
    /// A Lua integer.
    case int(Int)
    /// A Lua float, including floats without a fraction.
    case number(Double)
    /// A Lua string that is valid UTF-8.
    case string(String)
    /// A Lua string that is not valid UTF-8.
    case bytes([UInt8])
    /// A new table with these elements from index 1 on. Used only for values that are passed to
    /// Lua; a table that Lua returns is a `table`. A `nil` element leaves a hole.
    case list([Value])
    /// A new table with these fields. Used only for values that are passed to Lua.
    case map([(key: Value, value: Value)])
    /// A table, by reference: Lua and Swift see each other's changes.
    case table(Table)
    /// A Lua function, or a Swift function that was passed to Lua.
    case function(Function)
    /// A `Service`.
    case service(Service)
    /// A `Resource`.
    case resource(Resource)
    /// A `Request`.
    case request(Request)
    /// A copy of an `Entity`, which is a value in Swift.
    case entity(Entity)
    /// An error that `request:await()` returned in Lua.
    case error(RequestError)
    /// An error that a Swift function threw and Lua code caught, or another error to pass to Lua.
    case swiftError(any Error)
    /// Any other value, such as a coroutine or another Lull object. Swift can hold the value and
    /// pass it to Lua again.
    case other(Reference)

    /// Whether the value is `nil`; false for `null`.
    public var isNil: Bool { if case .nil = self { true } else { false } }

    /// The name of the value's type, as in Lua's messages.
    public var typeName: String {
      switch self {
      case .nil: "nil"
      case .null: "lull.null"
      case .bool: "boolean"
      case .int, .number: "number"
      case .string, .bytes: "string"
      case .list, .map, .table: "table"
      case .function: "function"
      case .service: "Service"
      case .resource: "Resource"
      case .request: "Request"
      case .entity: "Entity"
      case .error: "RequestError"
      case .swiftError: "SwiftError"
      case .other(let reference): reference.typeName
      }
    }
  }
}
