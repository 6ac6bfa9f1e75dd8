package import CLullBridge
import LullArguments
import LullCore

/// Reads tables whose fields have known names: options and settings.
///
/// An unknown name raises an error that suggests the most similar known one. While a file is
/// checked, problems with a field are recorded with its line, and the other fields are still read.
package struct OptionReader {
  /// The settings whose strings are bytes: contents, the text with its own error message, and a
  /// URL.
  private static let binarySettings: Set<String> = [
    "body", "text", "data", "content", "cause", "base_url",
  ]

  private let permissions: Permissions
  private let sources: ChunkSources

  init(_ permissions: Permissions, _ sources: ChunkSources) {
    self.permissions = permissions
    self.sources = sources
  }

  /// Calls a function for each field of a table; `owner` is the name of the option with that table.
  ///
  /// - Parameter ofServices: the names that are unknown here, but are settings of a service.
  package func forEach(
    of table: Int32, in state: OpaquePointer?, known: [String], owner: String? = nil,
    ofServices: [String] = [],
    _ body: (String, lull_value) throws(Misuse) -> Void
  ) throws(Misuse) {
    try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
      guard let name = key.string else {
        let place = owner.map { " in '\($0)'" } ?? ""
        throw .message(
          "unknown setting of type \(key.typeName)\(place); settings have names")
      }
      do throws(Misuse) {
        guard known.contains(name) else {
          throw ofServices.contains(name)
            ? .settingOfServices(name) : .unknownSetting(name, among: known)
        }
        if !OptionReader.binarySettings.contains(name) { try value.requireText("'\(name)'") }
        try body(name, value)
      } catch {
        guard let checker = permissions.checker, let place = SourcePlace.caller(of: state) else {
          throw error
        }
        // A checker wants to record the other fields too.
        let line = CallLines(sources).line(of: name, inCallAt: place) ?? place.line
        checker.note(error.text, at: SourcePlace(file: place.file, line: line))
      }
    }
  }
}

extension Misuse {
  /// Returns the error for a setting that only a whole service has, in the options of one request.
  /// (ONE-06)
  static func settingOfServices(_ name: String) -> Misuse {
    .message(
      "unknown setting '\(name)' of a single request; services have it: "
        + "lull.service{ base_url = …, \(name) = … }")
  }

  package static func unknownSetting(_ name: String, among known: [String]) -> Misuse {
    if let near = NearestName.suggestion(for: name, among: known) {
      return .message("unknown setting '\(name)' (did you mean '\(near)'?)")
    }
    guard known.count <= 16 else { return .message("unknown setting '\(name)'") }
    return .message("unknown setting '\(name)'; there are \(known.joined(separator: ", "))")
  }
}
