/// An object whose fields are called as it says, rather than as its kind has them.
package protocol FieldNaming: AnyObject {
  var fieldNames: [String] { get }
}
