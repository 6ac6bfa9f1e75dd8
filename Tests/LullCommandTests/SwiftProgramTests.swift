import LullLibC
import Testing

/// Programs of users that are compiled as theirs: what is wrong in them the compiler must say.
@Suite("Swift programs", .timeLimit(.minutes(20))) struct SwiftProgramTests {
  static let folder = Binaries.tests + "/WrongPrograms"
  static let names = [
    "detached-task", "lua-leaves-home", "request-leaves-home", "resource-leaves-actor",
    "service-enters-another-home", "service-leaves-home", "service-on-home", "spawned-from-outside",
    "spawned-with-service", "subclass-leaves-home", "test-leaves-home",
  ]

  /// With and without the upcoming feature that users are advised to enable.
  static let features = [[], ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"]]

  /// What the compiler says of a program: its errors as `line: message`.
  private func errors(_ name: String, _ features: [String]) throws -> [String] {
    let build = Binaries.root + "/.build/debug"
    let folder = try TemporaryFolder()
    // Not /dev/null: a compiler that crashes removes its output, and whoever is root may.
    let output = "\(folder.path)/program.sil"
    var words = ["-swift-version", "6", "-emit-sil", "-o", output, "-I", build + "/Modules"]
    words += ["-module-cache-path", build + "/ModuleCache"]
    for map in try moduleMaps(build) { words += ["-Xcc", "-fmodule-map-file=" + map] }
    words += ["-Xcc", "-I/usr/include/lua5.4"] + features
    let compiler = try #require(Binaries.onPath("swiftc"), "the tests are built by it")
    let ending = try Child(
      compiler, words + ["\(Self.folder)/\(name).swift"], input: .nothing
    ).wait()
    let errors = ending.errors.split(separator: "\n").compactMap { line -> String? in
      let line = String(line)
      guard line.hasPrefix(Self.folder), let error = line.firstRange(of: " error: ") else {
        return nil
      }
      let place = line[..<error.lowerBound].split(separator: ":")
      return "\(place[1]): \(line[error.upperBound...])"
    }
    #expect((ending.code == 0) == errors.isEmpty, "\(ending.errors)")
    return errors
  }

  /// Those of the C parts, which the modules of Lull were compiled with.
  private func moduleMaps(_ build: String) throws -> [String] {
    let listing = try shell(
      """
      ls \(build)/*.build/module.modulemap \(Binaries.root)/Sources/System/*/module.modulemap \
        \(Binaries.root)/Sources/*/include/module.modulemap 2>/dev/null
      true
      """)
    return listing.output.split(separator: "\n").map(String.init)
  }

  @Test(arguments: names, features)
  func `RACE-01 what would be a race does not compile`(name: String, features: [String]) throws {
    let program = try shell("cat '\(Self.folder)/\(name).swift'").output
    let lines = program.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = lines.enumerated().compactMap { index, line -> (Int, Substring)? in
      guard let mark = line.firstRange(of: "// error: ") else { return nil }
      return (index + 1, line[mark.upperBound...])
    }
    let errors = try errors(name, features)
    #expect(!expected.isEmpty)
    for (line, text) in expected {
      #expect(
        errors.contains { $0.hasPrefix("\(line): ") && $0.contains(text) },
        "line \(line), '\(text)': \(errors)")
    }
    #expect(errors.count == expected.count, "\(errors)")
  }

  @Test(arguments: ["right", "spawning", "subclasses", "waiting"], features)
  func `RACE-02 a program that keeps to its home compiles`(
    name: String, features: [String]
  ) throws {
    #expect(try errors(name, features) == [])
  }
}
