import LullClients
import LullHost

extension APIDescription {
  /// Of the API that the command and the module have.
  static let whole = LuaLibrary.withClients.description
}
