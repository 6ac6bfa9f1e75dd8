import LullCore
import LullSystem
import LullTransport
import Synchronization
import Testing

/// What tests of downloads have: a network, a folder, and servers that give their answers in turn.
final class DownloadFixture {
  let harness: TransportHarness
  let folder: TemporaryDirectory
  private var servers: [RawServer] = []

  init(allowedHosts: AllowedHosts? = nil) throws {
    harness = try TransportHarness(allowedHosts: allowedHosts)
    folder = try #require(TemporaryDirectory())
  }

  /// Gives these answers in turn, each over a connection of its own; an empty one never comes.
  func server(_ answers: [String]) throws -> RawServer {
    let rest = Mutex(answers[...])
    let server = try #require(
      RawServer { connection in
        guard connection.readRequest() != nil else { return }
        let answer = rest.withLock { $0.popFirst() } ?? ""
        if answer.isEmpty { return connection.waitForClose() }
        connection.write("HTTP/1.1 \(answer)")
      })
    servers.append(server)
    return server
  }

  func service(
    _ url: String, _ configure: @escaping (inout Configuration) -> Void = { _ in }
  ) -> Service {
    let service = Service(baseURL: url, networking: harness.provider, pump: harness.loop.pump)
    service.configure { configure(&$0) }
    return service
  }

  func path(_ name: String) -> String { name.isEmpty ? folder.path : folder.path + "/" + name }

  func text(_ name: String) -> String? {
    contents(path(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Everything in the folder, hidden or not.
  var files: [String] { ((try? FolderListing.names(in: folder.path)) ?? []).sorted() }

  /// Lets a request come to its end.
  @discardableResult
  func end(_ request: Request) -> Response? {
    harness.turn { request.isCompleted }
    harness.loop.turn(.noWait)
    return request.response
  }

  /// Downloads to that name of the folder, once.
  @discardableResult
  func download(
    _ server: RawServer, to name: String = "a", resume: Bool = true, from place: String = "/f",
    _ configure: @escaping (inout Configuration) -> Void = { _ in }
  ) -> Response? {
    end(
      service(server.url, configure).resource("/").relative(place).download(
        to: path(name), resume: resume))
  }

  func finish() {
    harness.finish()
    for server in servers { server.stop() }
    folder.remove()
  }

  /// An answer that says `Connection: close`.
  static func answer(_ status: String, _ headers: [String], _ body: String) -> String {
    "\(status)\r\n" + (headers + ["Connection: close"]).map { $0 + "\r\n" }.joined() + "\r\n" + body
  }

  /// A whole of which as much comes as `body` has.
  static func whole(_ body: String, length: Int? = nil, _ headers: [String] = ["ETag: \"a\""])
    -> String
  {
    answer("200 OK", ["Content-Length: \(length ?? body.utf8.count)"] + headers, body)
  }

  static func part(_ range: String, _ body: String, _ headers: [String] = ["ETag: \"a\""])
    -> String
  {
    answer(
      "206 Partial Content",
      ["Content-Range: bytes \(range)", "Content-Length: \(body.utf8.count)"] + headers, body)
  }

  static let half = whole("hello", length: 10)
}

extension RawServer {
  /// The lines of the requests that ask for a part.
  var ranges: [[String]] {
    requests.map { request in
      request.split(separator: "\r\n").map { $0.lowercased() }
        .filter { $0.hasPrefix("range:") || $0.hasPrefix("if-range:") }.sorted()
    }
  }
}
