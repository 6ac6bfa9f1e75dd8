import LullCore
import LullSystem

/// Which environment of an API file is wanted.
struct EnvironmentWish {
  let name: String
  /// Whether it is named with the API; else `LULL_ENV` says so, of files that have environments.
  let isNamed: Bool

  /// - Parameter named: what is named with the API; nil: nothing.
  init?(_ named: String?, usesVariable: Bool) {
    if let named {
      (name, isNamed) = (named, true)
    } else if usesVariable, let usual = APIName.usualEnvironment {
      (name, isNamed) = (usual, false)
    } else {
      return nil
    }
  }

  /// What `LULL_ENV` has in it may be anything.
  var shownName: String { ControlCharacters.shown(in: LogText.part(name, limit: 80)) }

  /// What messages say of a wish that nobody has typed.
  var origin: String { isNamed ? "" : ", which LULL_ENV names" }
}
