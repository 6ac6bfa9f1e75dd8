/// Wrong use by the script: raised at the caller's line.
package enum Misuse: Error {
  case message(String)
  /// `position` counts from 1, self not included.
  case argument(Int, String)
  /// Raised as it is.
  case value(LuaValue)
}
