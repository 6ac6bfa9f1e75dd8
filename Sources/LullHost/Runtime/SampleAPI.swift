import LullCore
import LullTransport

/// The sample API of `lull.demo()`. It is a server process that starts at the first call of
/// `lull.demo()` and ends with the host.
///
/// Home thread only.
///
/// Behaviours: DEM-120 to DEM-124.
final class SampleAPI: HostExtension {
  static let functions: [APIEntry] = []
  static let types: [APIOwner] = []

  private var server: DemoServer?

  init(_ host: LuaHost) {}

  /// Returns the URL of the sample server. If the server is not running, it is started.
  func url() throws(TransportError) -> String {
    if let server { return server.url }
    guard let path = DemoServer.find() else {
      throw TransportError(
        .connection,
        "lull-mock, which serves the sample API, was not found beside lull, beside lull.so or on the "
          + "PATH; set LULL_MOCK to its path")
    }
    let started = try DemoServer(path: path)
    server = started
    return started.url
  }

  func close() {
    server?.end()
    server = nil
  }
}
