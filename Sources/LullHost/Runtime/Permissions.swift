package import LullTransport

/// What a script may do, and whether it is only inspected.
///
/// Home thread only.
package final class Permissions {
  /// Whether the script is limited to the sandbox.
  package internal(set) var isSandboxed = false
  /// Set if API files are loaded only for inspection: they send no requests, start no processes and
  /// read no files.
  var inspection: Inspection?
  package var isInspecting: Bool { inspection != nil }
  /// Loads files for inspection without a sandbox.
  var gate: (any FileGate)?
  /// Whether the code is only inspected, in either way, and not run for its own sake.
  package var isOnlyLooking: Bool { inspection != nil || gate != nil }
  /// Collects the problems of a script instead of raising errors.
  package var checker: (any ScriptChecker)?
  /// Collects the logins that a script creates, instead of using them.
  package var loginCoordinator: OAuth2LoginCoordinator?

  /// Raises an error in the sandbox. For functions that access more than the network.
  package func refuseInSandbox(_ name: StaticString) throws(Misuse) {
    guard isSandboxed else { return }
    throw .message("\(name) is not available in the sandbox")
  }

  /// Raises an error in the sandbox, except during an inspection, where the function has a stand-in
  /// without effects.
  func refuseUnlessInspecting(_ name: StaticString) throws(Misuse) {
    if !isInspecting { try refuseInSandbox(name) }
  }
}
