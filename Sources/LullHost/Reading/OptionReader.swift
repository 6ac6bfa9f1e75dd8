package import CLullBridge
import LullArguments
import LullCore

/// Reads tables whose fields have known names: options and settings.
///
/// An unknown name raises an error that suggests the most similar known name. While a checker reads
/// a file, a problem with a field is recorded with its line, and the remaining fields are still
/// read.
package struct OptionReader {
  /// The options whose strings are bytes, so that they need not be valid UTF-8. If `text` is
  /// invalid, another function reports that.
  private static let binarySettings: Set<String> = [
    "body", "text", "data", "content", "cause", "base_url",
  ]

  private let permissions: Permissions
  private let sources: ChunkSources

  init(_ permissions: Permissions, _ sources: ChunkSources) {
    self.permissions = permissions
    self.sources = sources
  }

  /// Calls a function for each field of a table.
  ///
  /// - Parameters:
  ///   - owner: the name of the option whose value is this table; nil if the table is not the value
  ///     of an option.
  ///   - ofServices: names of settings that only a service has. They are unknown here, and the
  ///     error says so.
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
        // The checker records the error and continues, so that it sees the remaining fields too.
        let line = CallLines(sources).line(of: name, inCallAt: place) ?? place.line
        checker.note(error.text, at: SourcePlace(file: place.file, line: line))
      }
    }
  }
}

extension Misuse {
  /// Returns the error for an option of a single request if only services have a setting with that
  /// name. (ONE-06)
  static func settingOfServices(_ name: String) -> Misuse {
    .message(
      "unknown setting '\(name)' of a single request; services have this setting: "
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
