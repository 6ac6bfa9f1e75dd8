/// An error in the use of the API by the script, raised at the caller's line.
package enum Misuse: Error {
  case message(String)
  /// An error in an argument. The position starts at 1 and does not count self.
  case argument(Int, String)
  /// A value that is raised unchanged.
  case value(LuaValue)
}
