import LullClients
package import LullHost

extension LuaLibrary {
  /// The library of every host with API files and the functions for tests.
  package static let withTests = LuaLibrary([APIFiles.self, TestCase.self])
}
