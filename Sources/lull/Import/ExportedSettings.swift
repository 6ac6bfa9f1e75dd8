import LullClients
import LullCore
import LullHost

/// The settings of an API file that are about how it is asked, which no document has a place for.
struct ExportedSettings {
  private var names: Set<String> = []
  /// With where they are set.
  private var functions: Set<String> = []

  mutating func add(_ resource: Resource, _ method: RequestMethod) {
    let explanation = ResourceExplanation(of: resource, method: method, LullHost.Setting.explained)
    for setting in explanation.settings {
      guard let place = setting.source?.place, setting.name != "auth",
        !setting.name.hasPrefix("headers.")
      else { continue }
      if setting.functionCount > 0 {
        functions.insert("'\(setting.name)' (\(place))")
      } else {
        names.insert(setting.name)
      }
    }
  }

  var leftOut: [ExportedAPI.LeftOut] {
    var leftOut: [ExportedAPI.LeftOut] = functions.sorted().map { .init($0, "it is a function") }
    if !names.isEmpty {
      let shown = names.sorted().map { "'\($0)'" }.joined(separator: ", ")
      leftOut.append(
        .init(
          names.count == 1 ? "the setting \(shown)" : "the settings \(shown)",
          "how a service is asked is no part of what it is"))
    }
    return leftOut
  }
}
