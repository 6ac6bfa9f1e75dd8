import CLullBridge
import LullCore

extension RuntimeCore {
  /// Returns a Lua value as JSON.
  func json(of value: Lua.Value) throws(LuaError) -> JSONValue {
    let outcome = try askNow(helpers().same, [value]) { results in
      self.host.reading.json.text(of: results.state, results.index(0))
    }
    return try RuntimeCore.parsed(outcome).root.plainValue
  }

  /// Returns the stored value with that ID as JSON, or nil if it has no JSON form.
  func json(ofKept id: Int64) -> JSONValue? { document(ofKept: id)?.root.plainValue }

  /// Returns the stored value with that ID as a JSON document, or nil if it has no JSON form.
  func document(ofKept id: Int64) -> JSONDocument? {
    guard !isClosing, let helpers = try? helpers() else { return nil }
    let answer = host.coroutines.ask(helpers.same, [.ref(id)], kind: "call from Swift") {
      results in self.host.reading.json.text(of: results.state, results.index(0))
    }
    guard case .success(let outcome) = answer else { return nil }
    return try? RuntimeCore.parsed(outcome)
  }

  private static func parsed(
    _ text: Result<[UInt8], JSONReader.Problem>
  ) throws(LuaError) -> JSONDocument {
    switch text {
    case .success(let bytes):
      do throws(JSONError) {
        return try JSONDocument(parsing: bytes)
      } catch {
        throw LuaError(.mismatch, error.message)
      }
    case .failure(let problem): throw LuaError(.mismatch, problem.text)
    }
  }

  func helpers() throws(LuaError) -> LuaHelpers {
    if let madeHelpers { return madeHelpers }
    let made = try LuaHelpers(self)
    madeHelpers = made
    return made
  }
}
