import LullClients
package import LullHost

extension LuaLibrary {
  /// What every host has, API files, and what tests are built of.
  package static let withTests = LuaLibrary([APIFiles.self, TestCase.self])
}
