package import LullHost

extension LuaLibrary {
  /// What every host has, and API files.
  package static let withClients = LuaLibrary([APIFiles.self])
}
