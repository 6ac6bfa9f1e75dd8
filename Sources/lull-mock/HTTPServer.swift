import CMicrohttpd
import LullLibC
import LullCore
import LullHost
import LullSystem
import LullTransport

/// The HTTP server of the mock. It passes complete requests to `take`. It works only inside calls
/// of `serve`.
///
/// Requests are read and responses sent between two turns of the event loop, which wakes up when
/// there is anything to read or send. Home thread only. The server ends with the process.
final class HTTPServer {
  /// The address that the server listens on.
  struct Address {
    let text: String
    let port: UInt16
    var isIPv6: Bool { text.contains(":") }
  }

  /// The maximum number of connections. Further clients must wait.
  private static let mostConnections = 1000
  /// The maximum size of all stored bodies together, as a multiple of the largest allowed body.
  private static let mostBodies = 16

  let address: Address
  /// Receives each request.
  var take: (HTTPExchange) -> Void = { _ in }
  /// Returns why a request is rejected before its body is read. `nil` if it is not rejected.
  var objection: (HTTPAsked) -> Problem? = { _ in nil }
  /// Receives each request that `objection` rejects.
  var refuse: (HTTPExchange, Problem) -> Void = { _, _ in }
  /// Streams that ended while the HTTP library was running.
  private var ended: [HTTPStream] = []
  private let screen: Screen
  private let server: OpaquePointer
  private let watch: DescriptorWatch
  private let clock: any HostClock
  private var timer: (any HostTimer)?
  /// Whether there may be work to do although no socket is readable.
  private var isDue = true

  init(_ options: MockOptions, _ environment: any HostEnvironment) throws(MockProblem) {
    var descriptor: Int32 = -1
    var port: UInt16 = 0
    let code = cmhd_listen(options.address, options.port, &descriptor, &port)
    guard code == 0 else { throw HTTPServer.problem(code, options) }
    address = Address(text: options.address, port: port)
    let limits = cmhd_limits(
      connections: UInt32(HTTPServer.connectionCount), seconds: Double(options.patience),
      body: options.largestBody, bodies: options.largestBody * HTTPServer.mostBodies)
    let screen = Screen()
    let context = Unmanaged.passUnretained(screen).toOpaque()
    let isRead: cmhd_screen = { context, request in
      guard let context, let request else { return 1 }
      let screen = Unmanaged<Screen>.fromOpaque(context).takeUnretainedValue()
      return screen.server?.isRead(request) ?? true ? 1 : 0
    }
    let hasEnded: cmhd_stream_end = { context, stream in
      guard let context, let stream else { return }
      let ended = Unmanaged<HTTPStream>.fromOpaque(stream).takeRetainedValue()
      let screen = Unmanaged<Screen>.fromOpaque(context).takeUnretainedValue()
      screen.server?.ended.append(ended)
    }
    guard let server = cmhd_start(descriptor, limits, isRead, hasEnded, context),
      let watch = environment.watch(cmhd_descriptor(server))
    else { throw MockProblem(text: "cannot start the server: not enough memory or descriptors") }
    self.server = server
    self.screen = screen
    self.watch = watch
    clock = environment.pump.clock
    screen.server = self
  }

  /// Connects the HTTP library's callback to the server.
  private final class Screen {
    weak var server: HTTPServer?
  }

  /// Whether the body of a request should be read. Called while the HTTP library is running.
  private func isRead(_ request: OpaquePointer) -> Bool {
    let asked = HTTPAsked(request)
    guard let problem = objection(asked) else { return true }
    refuse(HTTPExchange(request, asked, self), problem)
    return false
  }

  private static func problem(_ code: Int32, _ options: MockOptions) -> MockProblem {
    if options.isSample {
      return MockProblem(
        text: "cannot serve on \(options.address):\(options.port): \(ErrorText.of(code))")
    }
    let place = options.port == 0 ? options.address : "port \(options.port) of \(options.address)"
    return switch code {
    case -1:
      MockProblem(
        text:
          "--bind needs an IP address, such as 127.0.0.1 or ::1, got '\(options.address)'",
        exitCode: 2)
    case EADDRINUSE:
      MockProblem(
        text:
          "cannot listen: \(place) is in use by another program; "
          + "without --port, a free port is chosen")
    default: MockProblem(text: "cannot listen at \(place): \(ErrorText.of(code))")
    }
  }

  /// The maximum number of connections: the number of available descriptors, minus some for the API
  /// file's own use.
  private static var connectionCount: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 100 }
    let most = limit.rlim_cur > 100_000 ? 100_000 : Int(limit.rlim_cur)
    return max(8, min(mostConnections, most - 64))
  }

  /// Does all work that is possible now.
  func serve() {
    guard watch.isReady || isDue else { return }
    // Responses are sent immediately, but the number of passes is limited so that other work gets
    // its turn.
    for _ in 0..<16 {
      isDue = false
      cmhd_run(server)
      while let request = cmhd_next(server) {
        // The next run suspends requests without a response.
        isDue = true
        take(HTTPExchange(request, self))
      }
      // Produce only one piece of each stream per pass: a stream whose function returns empty
      // pieces is ready again immediately.
      var waiting: [HTTPStream] = []
      while let stream = cmhd_next_stream(server) {
        waiting.append(Unmanaged<HTTPStream>.fromOpaque(stream).takeUnretainedValue())
      }
      for stream in waiting { stream.makePiece() }
      let ended = ended
      self.ended = []
      for stream in ended { stream.close() }
      guard isDue else { break }
    }
    watch.rearm()
    timer?.cancel()
    timer = nil
    let wait = isDue ? 0 : cmhd_wait(server)
    guard wait >= 0 else { return }
    timer = clock.schedule(after: Double(wait) / 1000) { [weak self] in self?.isDue = true }
  }

  /// Called before the loop closes. Unanswered requests end with the process.
  func close() {
    timer?.cancel()
    timer = nil
    watch.close()
  }

  /// Makes the server send a pending response before the event loop waits again.
  func wake() { isDue = true }
}
