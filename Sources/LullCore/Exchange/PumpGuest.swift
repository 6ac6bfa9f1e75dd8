/// Who lives on a pump that is somebody else's, and takes part in its turns.
package protocol PumpGuest: AnyObject {
  /// Before results are delivered.
  func turnBegins()
  /// After the deferred callbacks of the turn.
  func turnEnded()
  /// The pump closes: whatever needs it ends now.
  func pumpCloses()
}
