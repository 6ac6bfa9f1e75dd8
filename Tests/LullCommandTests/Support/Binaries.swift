import LullLibC

/// Where the programs under test are.
enum Binaries {
  /// The folder of `lull` and `lull-mock`: LULL_TEST_BIN, else the debug build of this checkout.
  static let folder = environment("LULL_TEST_BIN") ?? root + "/.build/debug"
  static let lull = folder + "/lull"
  static let lua = onPath("lua5.4")

  /// The folder `Tests` of this checkout.
  static let tests = root + "/Tests"

  /// `lull.so` for a stock interpreter: LULL_TEST_MODULE, else the release build of this checkout.
  /// nil if it has not been built: a debug build makes no module that a stock interpreter can load.
  static let module: String? = {
    let path = environment("LULL_TEST_MODULE") ?? root + "/.build/release/lull.so"
    return access(path, R_OK) == 0 ? path : nil
  }()

  /// `lull` as people run it, for what is measured, which says little of a debug build:
  /// LULL_TEST_RELEASE, else the release build of this checkout. nil if there is none.
  static let released: String? = {
    let path = environment("LULL_TEST_RELEASE") ?? root + "/.build/release/lull"
    return access(path, X_OK) == 0 ? path : nil
  }()

  /// For LUA_CPATH.
  static var modulePattern: String {
    (module.map(parent) ?? ".") + "/?.so;;"
  }

  static var canLoadModule: Bool { module != nil && lua != nil }

  /// A program of that name on the PATH.
  static func onPath(_ name: String) -> String? {
    (environment("PATH") ?? "").split(separator: ":").map { $0 + "/" + name }
      .first { access($0, X_OK) == 0 }
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  // Tests/LullCommandTests/Support/Binaries.swift
  static let root = parent(parent(parent(parent(#filePath))))

  private static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[..<slash])
  }
}
