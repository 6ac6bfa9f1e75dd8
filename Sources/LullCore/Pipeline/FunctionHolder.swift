/// What has functions of a script, or of a program, in it: descriptions say where they are, not what they do.
package protocol FunctionHolder {
  /// In the order in which they are asked. What they do is known to whoever has made them.
  var heldFunctions: [AnyObject] { get }
  /// How they are asked, the same words for the same.
  var functionUse: String { get }
}
