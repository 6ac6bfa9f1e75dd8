public import LullCore

extension Lua {
  /// A value of Lua's, as Swift sees it.
  ///
  /// Numbers stay what they are in Lua: integers of 64 bits, or floats, infinite ones and NaN included.
  /// Strings are bytes in Lua: those that are valid UTF-8 come as `string`, others as `bytes`. Tables and
  /// functions come as references, and objects of Lull's as the same objects that Lua has. Belongs to the
  /// runtime it came from. Home thread only.
  public enum Value {
    /// No value: what is not there, and what a function returns that returns nothing.
    case `nil`
    /// `lull.null`: a value that says there is none, where `nil` would be no value at all.
    case null
    /// True or false.
    case bool(Bool)
    /// An integer of Lua's.
    case int(Int)
    /// A float of Lua's, whole ones too.
    case number(Double)
    /// A string of Lua's that is UTF-8.
    case string(String)
    /// Any other string of Lua's.
    case bytes([UInt8])
    /// A new table with these elements from 1 on. Only on the way to Lua: from there tables come as
    /// `table`. A `nil` among them leaves a hole.
    case list([Value])
    /// A new table with these fields. Only on the way to Lua.
    case map([(key: Value, value: Value)])
    /// A table, by reference: both sides see what either changes.
    case table(Table)
    /// A function of Lua's, or one of Swift's that Lua was given.
    case function(Function)
    /// `Service` in Lua.
    case service(Service)
    /// `Resource` in Lua.
    case resource(Resource)
    /// `Request` in Lua.
    case request(Request)
    /// `Entity` in Lua; a copy, as entities are.
    case entity(Entity)
    /// What `request:await()` gives besides nil in Lua.
    case error(RequestError)
    /// What a function of Swift's has thrown, as Lua code catches it, or any other error that it is to get.
    case swiftError(any Error)
    /// Anything else, such as a coroutine or another object of Lull's: Swift can hold it and give it back.
    case other(Reference)

    /// Whether it is `nil`; `null` is not.
    public var isNil: Bool { if case .nil = self { true } else { false } }

    /// The word for its type, as Lua's messages have it.
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
