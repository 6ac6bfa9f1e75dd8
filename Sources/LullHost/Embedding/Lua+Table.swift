import CLullBridge
public import LullCore

extension Lua {
  /// A table that is in Lua: what Swift changes in it Lua code sees, and the other way round.
  ///
  /// Metatables are heeded, but where `entries` says otherwise. Home thread only; otherwise as
  /// `Reference`.
  public final class Table {
    let reference: Reference

    init(_ reference: Reference) { self.reference = reference }

    private var core: RuntimeCore { reference.core }

    /// The field of that key; `nil` where there is none is a value only for optional types.
    ///
    /// - Throws: `mismatch` if it is no `Field`, `runtime` what a metatable raises, `closed`.
    public func get<Field: LuaDecodable>(_ key: some LuaEncodable) throws(LuaError) -> Field {
      let values = try core.callNow(core.helpers().get, [.table(self), try key.luaValue()])
      do throws(LuaError) {
        return try .first(of: values)
      } catch {
        throw error.inside("field \(Value.described(try key.luaValue()))")
      }
    }

    /// Sets the field of that key; `nil` takes it away.
    ///
    /// - Throws: `mismatch` if key or value has no form in Lua, `runtime` what a metatable raises or of the key `nil`;
    ///   `closed`, `memoryLimit`.
    public func set(_ key: some LuaEncodable, _ value: some LuaEncodable) throws(LuaError) {
      let arguments = [Value.table(self), try key.luaValue(), try value.luaValue()]
      _ = try core.callNow(core.helpers().set, arguments)
    }

    /// How many elements it has from 1 on: `#table`.
    ///
    /// - Throws: `runtime` what a metatable raises, `mismatch` if that gives no integer; `closed`.
    public func count() throws(LuaError) -> Int {
      try .first(of: core.callNow(core.helpers().length, [.table(self)]))
    }

    /// All its fields, in the order Lua visits them; `__pairs` is not asked.
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

    /// What it holds as JSON, as `lull.json.encode` has it.
    ///
    /// - Throws: `mismatch` for what JSON cannot say, such as functions, NaN, and tables that hold
    ///   themselves; the message names the place.
    public func json() throws(LuaError) -> JSONValue { try core.json(of: .table(self)) }
  }
}
