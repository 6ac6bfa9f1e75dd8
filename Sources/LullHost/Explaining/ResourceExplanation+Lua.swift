import CLullBridge
package import LullCore

extension ResourceExplanation {
  /// Returns the text of `resource:explain(method)`: with Lua names, and with the line of each
  /// setting inside the call that made it, if it is found.
  ///
  /// - Parameter sources: the sources in which lines are searched.
  package static func text(
    _ sources: ChunkSources, _ resource: Resource, method: RequestMethod = .get
  ) -> String {
    let lines = CallLines(sources)
    return ResourceExplanation(of: resource, method: method, LullHost.Setting.explained)
      .locatingKeys { lines.line(of: $0, inCallAt: $1) }
      .text(callingLoad: "load_if_needed", failure: "raised")
  }
}

extension Call {
  /// The script line of this call; nil if no script line made it.
  var place: SourcePlace? { SourcePlace.caller(of: state) }
}

extension SourcePlace {
  /// Returns the script line that called the function running on `state`.
  static func caller(of state: OpaquePointer?) -> SourcePlace? {
    var source: UnsafePointer<CChar>?
    var length = 0
    let line = lull_caller_line(state, &source, &length)
    guard line > 0, let source else { return nil }
    // `length` bytes, valid while the function is running.
    let name = String(escaping: source, length)
    // `@` marks a file, `=` a named text; anything else is the text itself. (lua_Debug)
    guard let mark = name.first, mark == "@" || mark == "=" else {
      return SourcePlace(file: "(loaded text)", line: Int(line))
    }
    return SourcePlace(file: String(name.dropFirst()), line: Int(line))
  }

  /// Returns the file of that script; nil for a text that is not in a file.
  static func file(ofCaller state: OpaquePointer?) -> String? {
    var source: UnsafePointer<CChar>?
    var length = 0
    guard lull_caller_line(state, &source, &length) > 0, let source else { return nil }
    // `length` bytes, valid while the function is running.
    let name = String(escaping: source, length)
    return name.hasPrefix("@") ? String(name.dropFirst()) : nil
  }
}
