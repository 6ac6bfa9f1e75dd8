import LullHost
import LullProving

extension APIDescription {
  /// Of the API that the command and the module have, and of what tests have besides.
  static let whole = LuaLibrary.withProving.description
}
