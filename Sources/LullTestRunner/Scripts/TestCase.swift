import LullCore
package import LullHost

/// The state of `lull.test` in one host: the tests that its file declares, and the result of the
/// one that runs.
///
/// The environment is set before any function is called. Home thread only.
package final class TestCase: HostExtension {
  package static let functions: [APIEntry] = []
  package static var types: [APIOwner] { testTypes }
  package static var unseen: [APIOwner] { [.testFunctions] }

  let callbacks: Callbacks
  private let environment: (any HostEnvironment)?
  /// The tests of the file.
  private(set) var declared: [DeclaredTest] = []
  /// The line of each test, by name.
  private var lines: [String: Int] = [:]
  /// Unmet expectations, each with its place.
  private(set) var unmet: [String] = []
  private(set) var expectationCount = 0
  var snapshots = TestSnapshots(known: [:], isUpdating: false, isReadOnly: true)
  /// The folder of the test file.
  var folder: [UInt8] = [UInt8(ascii: ".")]
  /// Returns the script's output since the test began.
  var printed: () -> [UInt8] = { [] }

  package init(_ host: LuaHost) {
    callbacks = host.callbacks
    environment = host.environment
  }

  package func close() {
    // The closure may hold references to the host.
    printed = { [] }
  }

  /// The clock and network of the test.
  var held: HeldEnvironment {
    get throws(Misuse) {
      guard let held = environment as? HeldEnvironment else {
        throw .message("lull.test is only available in lull test")
      }
      return held
    }
  }

  /// Adds a test. If the name is already taken, keeps the existing test and returns its line.
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
    /// The test is not run.
    case skip
    /// If there is such a test, no others are run.
    case only
  }

  var name: String
  /// The line in the file.
  var line: Int
  var mode: Mode
}

/// The object through which the Lua half of `lull.test` calls the Swift half. It is empty, because
/// each call finds the host's own state.
final class TestBox {}

/// The snapshots of one test: the known ones and the new ones.
struct TestSnapshots {
  struct Entry: Codable, Equatable {
    var key: String
    var text: String
  }

  /// The snapshots of the file, by key.
  let known: [String: String]
  /// Whether snapshots are rewritten.
  let isUpdating: Bool
  /// Whether writing is forbidden.
  let isReadOnly: Bool
  /// The keys that the test has used, in order.
  private(set) var used: [String] = []
  /// The snapshots to write.
  private(set) var made: [Entry] = []

  init(known: [String: String], isUpdating: Bool, isReadOnly: Bool) {
    self.known = known
    self.isUpdating = isUpdating
    self.isReadOnly = isReadOnly
  }

  /// Returns `false` if the test has already used the key.
  mutating func use(_ key: String) -> Bool {
    guard !used.contains(key) else { return false }
    used.append(key)
    return true
  }

  mutating func keep(_ text: String, for key: String) { made.append(Entry(key: key, text: text)) }
}
