/// What takes part in every turn of an event loop, on its home thread.
package protocol TurnParticipant: AnyObject {
  /// Sends off what was started since the last turn, just before the loop waits.
  func beforeWaiting()
  /// Collects what the wait brought and posts it to the inbox; calls nobody's callbacks itself.
  func afterWaiting()
  /// Whether `beforeWaiting` or `afterWaiting` would do something now, so that the loop must not
  /// wait.
  var hasWork: Bool { get }
  /// The loop is closing: end everything, give back every handle.
  func close()
}
