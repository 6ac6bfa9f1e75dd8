/// The ways into Lull for Swift programs that wait with `async` and `await`: `Lull.run` of LullTransport,
/// and `Lull.test` of LullTesting.
public enum Lull {}

extension Lull {
  /// As C code reads it.
  package static let versionText: StaticString = "0.2.0"

  /// The version of Lull, `MAJOR.MINOR.PATCH`; requests name it in their `User-Agent`. Any thread.
  /// Lua: `lull.version`.
  public static var version: String { versionText.description }
}
