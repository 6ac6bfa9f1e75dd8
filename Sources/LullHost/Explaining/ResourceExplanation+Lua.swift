import CLullBridge
package import LullCore

extension ResourceExplanation {
  /// Returns the text of `resource:explain(method)`, with the names that Lua uses. For each
  /// setting, the text contains the line inside the call that made the setting, if that line is
  /// found.
  ///
  /// - Parameter sources: the source texts in which the lines of the settings are searched.
  package static func text(
    _ sources: ChunkSources, _ resource: Resource, method: RequestMethod? = nil
  ) -> String {
    let lines = CallLines(sources)
    return ResourceExplanation(of: resource, method: method, LullHost.Setting.explained)
      .locatingKeys { lines.line(of: $0, inCallAt: $1) }
      .text(callingLoad: "load_if_needed", failure: "raised")
  }
}

extension Call {
  /// The script line that made this call, or nil if the call did not come from a script line.
  var place: SourcePlace? { SourcePlace.caller(of: state) }
}

extension SourcePlace {
  /// Returns the script line that called the function running on `state`, or nil if there is none.
  static func caller(of state: OpaquePointer?) -> SourcePlace? {
    var source: UnsafePointer<CChar>?
    var length = 0
    let line = lull_caller_line(state, &source, &length)
    guard line > 0, let source else { return nil }
    // The name has `length` bytes, which are valid while the function is running.
    let name = String(escaping: source, length)
    // In a `lua_Debug` source, `@` comes before the name of a file and `=` before another name. Any
    // other source is the text of the code itself.
    guard let mark = name.first, mark == "@" || mark == "=" else {
      return SourcePlace(file: "(loaded text)", line: Int(line))
    }
    return SourcePlace(file: String(name.dropFirst()), line: Int(line))
  }

  /// Returns the path of the script file that called the function running on `state`. Returns nil
  /// if the calling code is not in a file.
  static func file(ofCaller state: OpaquePointer?) -> String? {
    var source: UnsafePointer<CChar>?
    var length = 0
    guard lull_caller_line(state, &source, &length) > 0, let source else { return nil }
    // The name has `length` bytes, which are valid while the function is running.
    let name = String(escaping: source, length)
    return name.hasPrefix("@") ? String(name.dropFirst()) : nil
  }
}
