/// The entry points of Lull for Swift programs that use `async` and `await`: `Lull.run` in
/// LullTransport, and `Lull.test` in LullTesting.
public enum Lull {}

extension Lull {
  /// The version of Lull as a static string, because C code reads it.
  package static let versionText: StaticString = "0.2.0"

  /// The version of Lull, `MAJOR.MINOR.PATCH`. Requests send it in their `User-Agent`. Any thread.
  /// Lua: `lull.version`.
  public static var version: String { versionText.description }
}
