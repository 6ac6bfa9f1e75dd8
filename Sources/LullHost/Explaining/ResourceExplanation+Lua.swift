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
