package import LullHost

extension LuaLibrary {
  /// The library of every host, including API files.
  package static let withClients = LuaLibrary([APIFiles.self])
}
