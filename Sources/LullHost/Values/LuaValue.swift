package import LullCore

/// A value to be pushed to Lua.
package enum LuaValue: Sendable {
  case `nil`
  case null
  case bool(Bool)
  case int(Int64)
  case number(Double)
  /// An integer that does not fit into 64 bits, as decimal digits.
  case digits(String)
  case string(String)
  case bytes([UInt8])
  /// A string that is pushed often. The bridge creates it once per Lua state.
  case constant(LuaConstant)
  /// The userdata of an object. `service` is the handle of the object's service, or 0 if the object
  /// has no service. `anchor` is the ID of a stored value that the userdata keeps alive, or 0.
  case object(handle: UInt64, kind: Int32, service: UInt64, anchor: Int64)
  /// The stored value with this ID; nil in Lua if it was collected.
  case ref(Int64)
  /// The tables built from a document. They are stored under that ID. The caller keeps the document
  /// alive.
  case tables(JSONDocument, id: Int64)
  /// The value at this index of the caller's Lua stack.
  case stack(Int32)
  /// A read-only view of a document. The caller keeps the document alive until the view has been
  /// pushed.
  case view(JSONDocument)
  case list([LuaValue])
  case map([(String, LuaValue)])
  /// A new table whose keys need not be strings.
  case table([(LuaValue, LuaValue)])
  /// A new table that raises an error if a field is assigned.
  case readOnly([(String, LuaValue)])
  /// A function that calls the member with this index on the object with this handle.
  case method(index: Int32, handle: UInt64, service: UInt64)
  /// Several values that become separate arguments or results.
  case spread([LuaValue])
  /// The elements of the packed table with this ID, as separate values.
  case unpack(Int64)
  /// The element at a position of the stored table with this ID.
  case element(of: Int64, Int)
  /// Lua's function `next`.
  case globalNext
  /// An error value that is raised again where the failed code was awaited. The second value is the
  /// original failure.
  indirect case reraised(LuaValue, ScriptFailure)
}

extension Double {
  /// The number as text in the form of Lua source code. A number without a fraction has no `.0` at
  /// its end.
  var luaText: String { Int64(exactly: self).map(String.init) ?? String(self) }
}

extension LuaValue {
  init(_ raised: RaisedValue) {
    switch raised {
    case .boolean(let bool): self = .bool(bool)
    case .integer(let int): self = .int(int)
    case .number(let number): self = .number(number)
    case .string(let string): self = string.text.map { .string($0) } ?? .bytes(string.bytes)
    case .foreign(let foreign): self = .ref(foreign.id)
    }
  }
}

/// The strings that are pushed often. The bridge identifies each string by its raw value.
package enum LuaConstant: Int32 {
  case observerAdded = 1
  case requested
  case requestCancelled
  case newData
  case notModified
  case error
  case network
  case cache
  case localOverride
  case wipe
  case shared

  var text: StaticString {
    switch self {
    case .observerAdded: "observer_added"
    case .requested: "requested"
    case .requestCancelled: "request_cancelled"
    case .newData: "new_data"
    case .notModified: "not_modified"
    case .error: "error"
    case .network: "network"
    case .cache: "cache"
    case .localOverride: "local_override"
    case .wipe: "wipe"
    case .shared: "shared"
    }
  }
}

extension LuaValue {
  /// Returns the value of `request.attempts`: a list of tables, one for each attempt, the latest
  /// last.
  static func attempts(_ attempts: [RequestAttempt]) -> LuaValue {
    .list(
      attempts.map { attempt in
        var fields: [(String, LuaValue)] = [
          ("number", .int(Int64(attempt.number))), ("started", .number(attempt.started)),
          ("delay", .number(attempt.delay)),
        ]
        if let elapsed = attempt.elapsed { fields.append(("elapsed", .number(elapsed))) }
        switch attempt.outcome {
        case .status(let status):
          fields += ["status", "http_status"].map { ($0, LuaValue.int(Int64(status))) }
        case .failure(let kind): fields.append(("error", .string(kind.rawValue)))
        case nil: break
        }
        return .map(fields)
      })
  }
}

extension LuaValue {
  /// Returns the recorded timings as a Lua table, or nil if there are none.
  static func timings(_ timings: TransferTimings?) -> LuaValue {
    guard let timings else { return .nil }
    return .map([
      ("dns", .number(timings.dns)), ("connect", .number(timings.connect)),
      ("tls", .number(timings.tls)), ("first_byte", .number(timings.firstByte)),
      ("total", .number(timings.total)), ("is_reused", .bool(timings.isReused)),
      ("http_version", timings.httpVersion.map { .string($0) } ?? .nil),
      ("remote_address", timings.remoteAddress.map { .string($0) } ?? .nil),
      ("redirect_count", .int(Int64(timings.redirectCount))),
    ])
  }
}
