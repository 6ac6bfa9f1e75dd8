/// An error in the use of the API by the script, raised at the caller's line.
package enum Misuse: Error {
  case message(String)
  /// `position` starts at 1 and does not count self.
  case argument(Int, String)
  /// Raised unchanged.
  case value(LuaValue)
}
