/// Reads the arguments of one call, from the first one to the last.
struct ArgumentReader {
  private let arguments: [Lua.Value]
  private var position = 0

  init(_ arguments: [Lua.Value]) { self.arguments = arguments }

  /// The next one as that type; `nil` where no more was given.
  mutating func next<Parameter: LuaDecodable>(
    _ type: Parameter.Type
  ) throws(LuaError) -> Parameter {
    position += 1
    let isGiven = position <= arguments.count
    do throws(LuaError) {
      return try Parameter.from(lua: isGiven ? arguments[position - 1] : .nil)
    } catch {
      let problem =
        isGiven ? error.message : error.message.replacing("got nil", with: "got no value")
      throw .mismatch("bad argument #\(position) (\(problem))")
    }
  }

  /// Refuses what was given beyond those that were read.
  func end() throws(LuaError) {
    guard arguments.count > position else { return }
    throw .mismatch("too many arguments (\(position) expected, got \(arguments.count))")
  }
}
