import LullCore
package import LullHost

/// The state of `lull.test` in one host: the tests that the file declares, and the result of the
/// test that is running.
///
/// The environment of the test is set before any function is called. Home thread only.
package final class TestCase: HostExtension {
  package static let functions: [APIEntry] = []
  package static var types: [APIOwner] { testTypes }
  package static var unseen: [APIOwner] { [.testFunctions] }

  let callbacks: Callbacks
  private let environment: (any HostEnvironment)?
  /// The tests that the file declares.
  private(set) var declared: [DeclaredTest] = []
  /// The line of each test, keyed by the name of the test.
  private var lines: [String: Int] = [:]
  /// The messages of expectations that were not met, each with its place.
  private(set) var unmet: [String] = []
  private(set) var expectationCount = 0
  var snapshots = TestSnapshots(known: [:], isUpdating: false, isReadOnly: true)
  /// The folder that contains the test file.
  var folder: [UInt8] = [UInt8(ascii: ".")]
  /// Returns the output of the script since the test began.
  var printed: () -> [UInt8] = { [] }

  package init(_ host: LuaHost) {
    callbacks = host.callbacks
    environment = host.environment
  }

  package func close() {
    // The closure may hold references to the host.
    printed = { [] }
  }

  /// The environment of the test, with its clock and its network.
  var held: HeldEnvironment {
    get throws(Misuse) {
      guard let held = environment as? HeldEnvironment else {
        throw .message("lull.test is only available in lull test")
      }
      return held
    }
  }

  /// Adds a test. If there is already a test with this name, it is kept, and its line is returned.
  func declare(_ test: DeclaredTest) -> Int? {
    if let known = lines[test.name] { return known }
    lines[test.name] = test.line
    declared.append(test)
    return nil
  }

  func met() { expectationCount += 1 }

  func wasNotMet(_ text: String) {
    expectationCount += 1
    unmet.append(text)
  }
}

/// A test as declared in its file.
struct DeclaredTest: Codable, Equatable {
  enum Mode: String, Codable {
    case plain
    /// The test is reported as skipped, and not run.
    case skip
    /// If any file declares a test with `only`, tests without `only` are not run.
    case only
  }

  var name: String
  /// The line of the file that declares the test.
  var line: Int
  var mode: Mode
}

/// The object through which the Lua half of `lull.test` calls the Swift half. It has no content,
/// because each call finds the state in its own host.
final class TestBox {}

/// The stored snapshots of one test, and the snapshots that the test has made.
struct TestSnapshots {
  struct Entry: Codable, Equatable {
    var key: String
    var text: String
  }

  /// The stored snapshots of the test file, keyed by snapshot key.
  let known: [String: String]
  /// Whether stored snapshots are replaced.
  let isUpdating: Bool
  /// Whether snapshots must not be written.
  let isReadOnly: Bool
  /// The keys that the test has used so far, in order.
  private(set) var used: [String] = []
  /// The snapshots that are to be written.
  private(set) var made: [Entry] = []

  init(known: [String: String], isUpdating: Bool, isReadOnly: Bool) {
    self.known = known
    self.isUpdating = isUpdating
    self.isReadOnly = isReadOnly
  }

  /// Marks a key as used. Returns `false` if the test has already used it.
  mutating func use(_ key: String) -> Bool {
    guard !used.contains(key) else { return false }
    used.append(key)
    return true
  }

  mutating func keep(_ text: String, for key: String) { made.append(Entry(key: key, text: text)) }
}
