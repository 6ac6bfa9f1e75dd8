/// A mistake of the script in its use of the API. It is raised as an error at the line of the
/// caller.
package enum Misuse: Error {
  case message(String)
  /// An error in an argument, with its position and the message. The position starts at 1 and does
  /// not count self.
  case argument(Int, String)
  /// A value that is raised unchanged.
  case value(LuaValue)
}
