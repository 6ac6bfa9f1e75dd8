import CLullBridge
package import LullCore

extension ResourceExplanation {
  /// What `resource:explain(method)` tells: by the names of Lua, with the lines of the settings themselves, where
  /// they stand in the call that has made them.
  ///
  /// - Parameter sources: in which lines are looked for.
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
  /// The line of the script this call stands on; nil where no line of a script has made it.
  var place: SourcePlace? { SourcePlace.caller(of: state) }
}

extension SourcePlace {
  /// The line of the script that has called what runs on `state`.
  static func caller(of state: OpaquePointer?) -> SourcePlace? {
    var source: UnsafePointer<CChar>?
    var length = 0
    let line = lull_caller_line(state, &source, &length)
    guard line > 0, let source else { return nil }
    // `length` bytes, there for as long as the function that is running.
    let name = String(escaping: source, length)
    // `@` marks a file, `=` a text with a name; anything else is the text itself. (lua_Debug)
    guard let mark = name.first, mark == "@" || mark == "=" else {
      return SourcePlace(file: "(loaded text)", line: Int(line))
    }
    return SourcePlace(file: String(name.dropFirst()), line: Int(line))
  }

  /// The file of that script; nil of a text that is in none.
  static func file(ofCaller state: OpaquePointer?) -> String? {
    var source: UnsafePointer<CChar>?
    var length = 0
    guard lull_caller_line(state, &source, &length) > 0, let source else { return nil }
    // `length` bytes, there for as long as the function that is running.
    let name = String(escaping: source, length)
    return name.hasPrefix("@") ? String(name.dropFirst()) : nil
  }
}
