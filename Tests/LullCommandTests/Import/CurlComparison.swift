import LullTesting
import Testing

/// A folder, and a server that says `{}` to all, to which curl and calls send what is compared.
struct CurlComparison {
  let folder: TemporaryFolder
  let server: EchoServer

  init(file: String) throws {
    folder = try TemporaryFolder()
    server = try EchoServer { _, _ in
      .init(headers: ["Content-Type: application/json"], body: "{}")
    }
    try folder.write("a file.txt", file)
  }

  /// Expects that a line of shell, which has curl send something once, and a call send the same.
  ///
  /// - Parameters:
  ///   - call: what follows `lull call`.
  ///   - text: what one of them was made of, or has become.
  func expectSame(
    _ line: String, _ call: [String], _ environment: [String: String], _ text: String,
    sourceLocation: SourceLocation
  ) throws {
    let count = server.requests.count
    let theirs = try shell(line, environment: environment, folder: folder.path)
    #expect(theirs.code == 0, "\(theirs.errors)\n\(text)", sourceLocation: sourceLocation)
    let ours = try Child(
      Binaries.lull, ["call"] + call, environment: environment, folder: folder.path
    ).wait()
    #expect(ours.code == 0, "\(ours.errors)\n\(text)", sourceLocation: sourceLocation)
    let sent = server.requests
    try #require(
      sent.count == count + 2, "\(theirs.errors)\(ours.errors)\n\(text)",
      sourceLocation: sourceLocation)
    #expect(
      SentRequest(sent[count + 1]) == SentRequest(sent[count]), "\(line)\n\(text)",
      sourceLocation: sourceLocation)
  }
}
