/// A script that crosses between Lua and Swift in one way, to be run with an allocator that fails.
///
/// `setup` runs before, with all the memory it wants; `body` returns a text, the same at every run.
struct AllocationScenario: Sendable, CustomStringConvertible {
  let name: String
  var setup = ""
  let body: String

  var description: String { name }

  /// What all scripts begin with: a service on the stubs of `AllocationRun`.
  static let prelude = #"api = lull.service("https://api.test")"#

  /// Between them every kind of value the bridge pushes and every way it calls.
  static let all: [AllocationScenario] =
    values + contents + waits + coroutines + callbacks + requests + failures
}
