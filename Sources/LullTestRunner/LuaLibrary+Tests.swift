import LullClients
package import LullHost

extension LuaLibrary {
  /// The functions of every host, API files, and those for tests.
  package static let withTests = LuaLibrary([APIFiles.self, TestCase.self])
}
