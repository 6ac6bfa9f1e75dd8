import LullCore
package import LullHost

/// What `lull.test` has of one host: the tests that its file declares, and what becomes of the one that runs.
///
/// Whoever runs the file gives it the surroundings before anything of it is called. Home thread only.
package final class Proof: HostExtension {
  package static let functions: [APIEntry] = []
  package static var types: [APIOwner] { proofTypes }
  package static var unseen: [APIOwner] { [.proofFunctions] }

  let callbacks: Callbacks
  private let environment: (any HostEnvironment)?
  /// What the tests of the file are.
  private(set) var declared: [DeclaredProof] = []
  /// Where each of them stands, by its name.
  private var lines: [String: Int] = [:]
  /// Expectations that were not met, each with its place.
  private(set) var unmet: [String] = []
  private(set) var expectationCount = 0
  var snapshots = ProofSnapshots(known: [:], isUpdating: false, isReadOnly: true)
  /// Where its file is.
  var folder: [UInt8] = [UInt8(ascii: ".")]
  /// What the script has printed since the test began.
  var printed: () -> [UInt8] = { [] }

  package init(_ host: LuaHost) {
    callbacks = host.callbacks
    environment = host.environment
  }

  package func close() {
    // What it answers with may hold what refers to the host.
    printed = { [] }
  }

  /// Time and network of the test.
  var held: HeldEnvironment {
    get throws(Misuse) {
      guard let held = environment as? HeldEnvironment else {
        throw .message("lull.test is there only while tests are run")
      }
      return held
    }
  }

  /// The line of one of that name that there is already, which stays.
  func declare(_ proof: DeclaredProof) -> Int? {
    if let known = lines[proof.name] { return known }
    lines[proof.name] = proof.line
    declared.append(proof)
    return nil
  }

  func met() { expectationCount += 1 }

  func wasNotMet(_ text: String) {
    expectationCount += 1
    unmet.append(text)
  }
}
