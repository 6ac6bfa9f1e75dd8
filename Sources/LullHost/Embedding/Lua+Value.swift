public import LullCore

extension Lua {
  /// A Lua value in Swift.
  ///
  /// Numbers keep their Lua subtype: 64-bit integers, or floats including infinities and NaN. Lua
  /// strings are bytes: valid UTF-8 arrives as `string`, anything else as `bytes`. Tables and
  /// functions arrive as references, and Lull objects are the same objects on both sides. A value
  /// belongs to the runtime it came from. Home thread only.
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
    /// A new table with these elements from index 1 on. Only for values passed to Lua; tables from
    /// Lua arrive as `table`. A `nil` element leaves a hole.
    case list([Value])
    /// A new table with these fields. Only for values passed to Lua.
    case map([(key: Value, value: Value)])
    /// A table, by reference: both sides see changes.
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
    /// An error that a Swift function threw, as Lua code catches it, or another error to pass to
    /// Lua.
    case swiftError(any Error)
    /// Any other value, such as a coroutine or another Lull object: Swift can hold it and pass it
    /// back.
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
