package import LullCore

/// Who looks at a script instead of using it: what is wrong is noted, and the script goes on.
///
/// While a host has one, errors of callbacks and unknown settings are neither raised nor reported.
package protocol ScriptChecker: AnyObject {
  /// What is wrong with a line.
  func note(_ text: String, at place: SourcePlace)
  /// An error that the script has raised.
  func note(_ failure: ScriptFailure)
  /// A pattern of configuration, and where it was given.
  func look(atPattern pattern: String, of service: Service, at place: SourcePlace?)
  /// A credential that is plain text, and what it is, in words.
  func look(atCredential text: String, _ what: String)
}
