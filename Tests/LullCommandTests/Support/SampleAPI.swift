/// The sample API, served for as long as this object lives.
final class SampleAPI {
  private let child: Child
  /// Without a slash at its end.
  let url: String

  init() throws {
    child = try Child(Binaries.lull, ["demo", "--port", "0"], input: .held)
    try child.waitForOutput("/users")
    let line = child.outputText.prefix { $0 != "\n" }
    url = String(line.split(separator: " ").last ?? "")
  }

  deinit { child.send(15) }
}
