import LullCore
package import LullHost

/// What `lull.test` has of one host: the tests that its file declares, and what becomes of the one that runs.
///
/// Whoever runs the file gives it the surroundings before anything of it is called. Home thread only.
package final class TestCase: HostExtension {
  package static let functions: [APIEntry] = []
  package static var types: [APIOwner] { testTypes }
  package static var unseen: [APIOwner] { [.testFunctions] }

  let callbacks: Callbacks
  private let environment: (any HostEnvironment)?
  /// What the tests of the file are.
  private(set) var declared: [DeclaredTest] = []
  /// Where each of them stands, by its name.
  private var lines: [String: Int] = [:]
  /// Expectations that were not met, each with its place.
  private(set) var unmet: [String] = []
  private(set) var expectationCount = 0
  var snapshots = TestSnapshots(known: [:], isUpdating: false, isReadOnly: true)
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

/// A test as its file declares it.
struct DeclaredTest: Codable, Equatable {
  enum Mode: String, Codable {
    case plain
    /// Not run.
    case skip
    /// If there is one, no others are run.
    case only
  }

  var name: String
  /// Where in the file.
  var line: Int
  var mode: Mode
}

/// What stands behind the object by which the Lua half of `lull.test` calls the Swift half: nothing, since each
/// call finds the host's own.
final class TestBox {}

/// The snapshots of one test: what there was, and what it comes to now.
struct TestSnapshots {
  struct Entry: Codable, Equatable {
    var key: String
    var text: String
  }

  /// Those of its file, by key.
  let known: [String: String]
  /// Whether they are made anew.
  let isUpdating: Bool
  /// Whether the test runs where nothing is written.
  let isReadOnly: Bool
  /// Each key that the test has asked for, in order.
  private(set) var used: [String] = []
  /// What is to be written.
  private(set) var made: [Entry] = []

  init(known: [String: String], isUpdating: Bool, isReadOnly: Bool) {
    self.known = known
    self.isUpdating = isUpdating
    self.isReadOnly = isReadOnly
  }

  /// False if the test has asked for it before.
  mutating func use(_ key: String) -> Bool {
    guard !used.contains(key) else { return false }
    used.append(key)
    return true
  }

  mutating func keep(_ text: String, for key: String) { made.append(Entry(key: key, text: text)) }
}
