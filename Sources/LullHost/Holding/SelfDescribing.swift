/// An object of which there is more to tell than of its kind.
package protocol SelfDescribing: AnyObject {
  /// What `help` says of it, in lines.
  var helpText: String { get }
  /// The keys of the table it is called with.
  var argumentNames: [String] { get }
  /// What the value under one of them may be, if that is one of some words.
  func argumentWords(for name: String) -> [String]
}
