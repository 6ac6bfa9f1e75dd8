/// Files of tests in a folder, and `lull test` run there.
struct TestFiles {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// With `test` and `lull` at hand.
  static let head = "local test, lull = require \"lull.test\", require \"lull\"\n"

  /// Writes a file of tests, below a line with `test` and `lull`.
  func write(_ name: String, _ text: String) throws {
    try folder.write(name, TestFiles.head + text)
  }

  func run(_ words: String..., environment: [String: String] = [:]) throws -> Child.Ending {
    try run(words, environment: environment)
  }

  func run(_ words: [String], environment: [String: String] = [:]) throws -> Child.Ending {
    try Child(
      Binaries.lull, ["test"] + words, environment: environment, folder: folder.path
    ).wait()
  }

  /// Runs the body of one test, and gives what is told of it.
  func prove(
    _ body: String, _ words: String..., environment: [String: String] = [:]
  ) throws -> Child.Ending {
    try write("one_test.lua", "test(\"one\", function(t)\n\(body)\nend)\n")
    return try run(["one_test.lua"] + words, environment: environment)
  }

  func text(_ name: String) -> String? { folder.text(name) }
}
