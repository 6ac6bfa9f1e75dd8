import CLullBridge
public import LullCore

extension Lua {
  /// A table in Lua, shared by reference: Lua code sees changes made by Swift, and Swift sees
  /// changes made by Lua code.
  ///
  /// Metatables are respected, except where `entries` says otherwise. This object keeps the table
  /// alive as a `Reference` does. Home thread only.
  public final class Table {
    let reference: Reference

    init(_ reference: Reference) { self.reference = reference }

    private var core: RuntimeCore { reference.core }

    /// Returns the field with a key. For a missing field, only an optional `Field` accepts the
    /// resulting `nil`.
    ///
    /// - Throws: `mismatch` if the value does not convert to `Field`, `runtime` if a metamethod
    ///   raises an error, `closed`.
    public func get<Field: LuaDecodable>(_ key: some LuaEncodable) throws(LuaError) -> Field {
      let values = try core.callNow(core.helpers().get, [.table(self), try key.luaValue()])
      do throws(LuaError) {
        return try .first(of: values)
      } catch {
        throw error.inside("field \(Value.described(try key.luaValue()))")
      }
    }

    /// Sets the field with a key; `nil` removes it.
    ///
    /// - Throws: `mismatch` if the key or value does not convert to Lua; `runtime` if a metamethod
    ///   raises an error or the key is `nil`; `closed`, `memoryLimit`.
    public func set(_ key: some LuaEncodable, _ value: some LuaEncodable) throws(LuaError) {
      let arguments = [Value.table(self), try key.luaValue(), try value.luaValue()]
      _ = try core.callNow(core.helpers().set, arguments)
    }

    /// Returns the length of the table, as `#table` does.
    ///
    /// - Throws: `runtime` if a metamethod raises an error, `mismatch` if it does not return an
    ///   integer; `closed`.
    public func count() throws(LuaError) -> Int {
      try .first(of: core.callNow(core.helpers().length, [.table(self)]))
    }

    /// Returns all fields in the order in which Lua iterates over them. Ignores `__pairs`.
    ///
    /// - Throws: `closed`, `memoryLimit`.
    public func entries() throws(LuaError) -> [(key: Value, value: Value)] {
      var entries: [(key: Value, value: Value)] = []
      try forEach { entries.append(($0, $1)) }
      return entries
    }

    func forEach(_ body: (Value, Value) throws(LuaError) -> Void) throws(LuaError) {
      let core = core
      let outcome = try core.askNow(core.helpers().same, [.table(self)]) {
        results -> Swift.Result<Void, LuaError> in
        var failure: LuaError?
        let state = results.state
        let visited = Swift.Result { () throws(Misuse) in
          try LuaTable(results.index(0), in: state).forEachField { _, _ throws(Misuse) in
            guard failure == nil else { return }
            let top = LuaTable.visitedIndex(in: state)
            do throws(LuaError) {
              try body(
                try core.read(at: top - 1, in: state), try core.read(at: top, in: state))
            } catch {
              failure = error
            }
          }
        }
        if let failure { return .failure(failure) }
        return visited.mapError { LuaError($0) }
      }
      try outcome.get()
    }

    /// Returns the table as JSON. The conversion is that of `lull.json.encode`.
    ///
    /// - Throws: `mismatch` for values without a JSON form, such as functions, NaN, and tables that
    ///   contain themselves; the message names the place.
    public func json() throws(LuaError) -> JSONValue { try core.json(of: .table(self)) }
  }
}
