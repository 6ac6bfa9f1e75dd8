package import LullTransport

/// What a script may do, and whether it is only looked at.
///
/// Home thread only.
package final class Permissions {
  /// Whether it may do no more than what the sandbox has for it.
  package internal(set) var isSandboxed = false
  /// Set if API files are loaded only to be looked at: nothing is asked of any network, and nothing
  /// started or read for them.
  var inspection: Inspection?
  package var isInspecting: Bool { inspection != nil }
  /// Through whom files are loaded that are looked at as they are, with all rights.
  var gate: (any FileGate)?
  /// Whether nobody has asked for what is run, in either way.
  package var isOnlyLooking: Bool { inspection != nil || gate != nil }
  /// Takes note of what is wrong with a script, instead of raising it.
  package var checker: (any ScriptChecker)?
  /// Fetches the logins that a script makes, instead of having them used.
  package var loginCoordinator: OAuth2LoginCoordinator?

  /// For functions that reach beyond the network: raises in the sandbox.
  package func refuseInSandbox(_ name: StaticString) throws(Misuse) {
    guard isSandboxed else { return }
    throw .message("\(name) is not available in the sandbox")
  }

  /// The same for what has an inert stand-in where a file is only looked at.
  func refuseUnlessInspecting(_ name: StaticString) throws(Misuse) {
    if !isInspecting { try refuseInSandbox(name) }
  }
}
