/// Reads the arguments of one call, from the first one to the last.
struct ArgumentReader {
  private let arguments: [Lua.Value]
  private var position = 0

  /// All of a call, as the parameters of those types: no fewer, unless they are optional, and no more.
  static func read<each Parameter: LuaDecodable>(
    _ arguments: [Lua.Value], _ types: repeat (each Parameter).Type
  ) throws(LuaError) -> (repeat each Parameter) {
    var reader = ArgumentReader(arguments: arguments)
    let parameters = (repeat try reader.next(each types))
    try reader.end()
    return parameters
  }

  private init(arguments: [Lua.Value]) { self.arguments = arguments }

  /// The next one as that type; `nil` where no more was given.
  private mutating func next<Parameter: LuaDecodable>(
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
  private func end() throws(LuaError) {
    guard arguments.count > position else { return }
    throw .mismatch("too many arguments (\(position) expected, got \(arguments.count))")
  }
}
