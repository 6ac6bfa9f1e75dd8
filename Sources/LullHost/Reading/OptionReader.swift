package import CLullBridge
import LullArguments
import LullCore

/// Reads tables whose fields have known names: options and settings.
///
/// A name that is not known raises, and names the nearest that is. While a file is checked, what is
/// wrong with a field is noted with its line, and the other fields are read all the same.
package struct OptionReader {
  /// Settings whose strings are bytes: contents, the text that has an error of its own, and a URL.
  private static let binarySettings: Set<String> = [
    "body", "text", "data", "content", "cause", "base_url",
  ]

  private let permissions: Permissions
  private let sources: ChunkSources

  init(_ permissions: Permissions, _ sources: ChunkSources) {
    self.permissions = permissions
    self.sources = sources
  }

  /// Visits the fields of a table; `owner` is what it is the value of.
  ///
  /// - Parameter ofServices: names that are unknown here, but settings of a service.
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
        // One that checks a file wants to hear of the others too.
        let line = CallLines(sources).line(of: name, inCallAt: place) ?? place.line
        checker.note(error.text, at: SourcePlace(file: place.file, line: line))
      }
    }
  }
}

extension Misuse {
  /// Of one request, a setting that only a whole service has. (ONE-06)
  static func settingOfServices(_ name: String) -> Misuse {
    .message(
      "unknown setting '\(name)' of one request: services have it, "
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
