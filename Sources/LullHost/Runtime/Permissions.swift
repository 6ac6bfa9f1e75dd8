package import LullTransport

/// The permissions of a script: whether it is limited to the sandbox, and whether it is only
/// inspected.
///
/// Home thread only.
package final class Permissions {
  /// Whether the script is limited to the sandbox.
  package internal(set) var isSandboxed = false
  /// The state of the inspection, or nil if there is none. Files that are loaded for an inspection
  /// send no requests, start no processes and read no files.
  var inspection: Inspection?
  package var isInspecting: Bool { inspection != nil }
  /// Provides the files of an inspection that runs without a sandbox; nil if there is no such
  /// inspection.
  var gate: (any FileGate)?
  /// Whether the script is run only to be inspected, with or without a sandbox.
  package var isOnlyLooking: Bool { inspection != nil || gate != nil }
  /// Collects the problems of a script, which are then not raised as errors; nil if there is no
  /// checker.
  package var checker: (any ScriptChecker)?
  /// Collects the logins that a script creates, without using them; nil if logins are used.
  package var loginCoordinator: OAuth2LoginCoordinator?

  /// Throws an error in the sandbox. Called by functions that access more than the network.
  package func refuseInSandbox(_ name: StaticString) throws(Misuse) {
    guard isSandboxed else { return }
    throw .message("\(name) is not available in the sandbox")
  }

  /// Throws an error in the sandbox. Does not throw during an inspection, because then the calling
  /// function uses a stand-in without effects.
  func refuseUnlessInspecting(_ name: StaticString) throws(Misuse) {
    if !isInspecting { try refuseInSandbox(name) }
  }
}
