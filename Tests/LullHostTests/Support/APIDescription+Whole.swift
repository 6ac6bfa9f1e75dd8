import CLullBridge
@testable import LullHost
import LullTestRunner

extension APIDescription {
  /// Of the API that the command and the module have, and of what tests have besides.
  static let whole = LuaLibrary.withTests.description
}

extension LuaLibrary {
  /// Those by which the arguments of a member are checked.
  func letters(_ number: Int32) -> String {
    (rows[Int(number)].arguments ?? deriveArguments(number)).map { String(cString: $0) } ?? ""
  }
}
