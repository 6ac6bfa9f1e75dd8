import LullLibC
import LullTestSupport

/// `lull mock` for an API file, and clients of it. Ends with this object.
final class MockProcess {
  let folder: TemporaryFolder
  let child: Child
  /// Without a slash at its end.
  let url: String
  var port: UInt16 { Port(ofURL: url).number }

  /// - Parameters:
  ///   - api: the text of `apis/shop.lua`: what it returns has the calls of this text.
  ///   - fields: the text of what it returns besides.
  ///   - schemas: the text of its file of schemas.
  ///   - files: others of the folder, by their paths.
  init(
    calls: String, fields: String = "", base: String = "https://api.shop.test/v2",
    files: [String: [UInt8]] = [:], schemas: String? = nil, _ words: String...
  ) throws {
    folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      MockProcess.file(calls: calls, fields: fields, base: base, schemas: schemas))
    if let schemas { try folder.write("apis/shop.schemas.json", schemas) }
    for (name, bytes) in files { try folder.write(name, bytes) }
    child = try Child(Binaries.lull, ["mock", "shop"] + words, folder: folder.path)
    try child.waitForOutput("\n")
    url = String(child.outputText.prefix { $0 != " " })
  }

  /// For an API of a folder that is there already.
  init(of name: String, in folder: TemporaryFolder) throws {
    self.folder = folder
    child = try Child(Binaries.lull, ["mock", name], folder: folder.path)
    try child.waitForOutput("\n")
    url = String(child.outputText.prefix { $0 != " " })
  }

  deinit { child.send(SIGKILL) }

  static func file(
    calls: String, fields: String = "", base: String = "https://api.shop.test/v2",
    schemas: String? = nil
  ) -> String {
    """
    local lull = require "lull"
    return {
      service = lull.service("\(base)"),\(schemas == nil ? "" : " schemas = \"shop.schemas.json\",")
      calls = {
    \(calls)
      },
      \(fields)
    }
    """
  }

  /// What curl shows of an answer: its head and its body.
  func curl(_ path: String, _ words: String...) throws -> String {
    let ending = try Child("curl", ["-si", "--max-time", "120", url + path] + words).wait()
    return ending.output.replacing("\r\n", with: "\n")
  }

  /// The body of what a GET brings.
  func body(_ path: String, _ words: String...) throws -> String {
    try Child("curl", ["-s", "--max-time", "120", url + path] + words).wait().output
  }

  /// Ends it; what it has written.
  func end(_ signal: Int32 = SIGINT) throws -> Child.Ending {
    child.send(signal)
    return try child.wait()
  }
}

/// A connection whose every byte is the test's.
final class RawClient {
  private let descriptor: Int32

  init(_ mock: MockProcess) throws {
    guard let descriptor = RawSocket.connect(to: mock.port) else {
      throw Child.Failure(description: "nobody listens at \(mock.url)")
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        LullLibC.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // The other side has heard enough.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// All that comes until the other side ends the connection.
  func readToEnd() -> String {
    var all: [UInt8] = []
    while let bytes = read() { all += bytes }
    return String(decoding: all, as: UTF8.self)
  }

  /// What comes until this is in it.
  func read(until text: String, count: Int = 1) -> String {
    var all = ""
    while all.split(separator: text, omittingEmptySubsequences: false).count <= count,
      let bytes = read()
    {
      all += String(decoding: bytes, as: UTF8.self)
    }
    return all
  }

  /// Whether the other side has not ended it, as far as is known.
  var isOpen: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count > 0 || (count < 0 && errno == EAGAIN)
  }

  private func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }
}
