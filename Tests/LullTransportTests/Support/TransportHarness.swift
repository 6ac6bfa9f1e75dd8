import LullCore
import LullTransport
import Testing

/// A loop and a provider, and ways to wait for what they do.
///
/// `finish` closes both and looks for what was left behind.
final class TransportHarness {
  let loop: EventLoop
  let provider: CurlProvider
  private(set) var log: [String] = []

  init(
    certificateAuthorities: String? = nil, blocksSIGPIPE: Bool = false,
    allowedHosts: AllowedHosts? = nil, idleTime: Double = 30
  ) throws {
    loop = try EventLoop()
    provider = CurlProvider(
      loop: loop, userAgent: "lull/test", certificateAuthorities: certificateAuthorities,
      blocksSIGPIPE: blocksSIGPIPE, allowedHosts: allowedHosts, idleTime: idleTime)
    loop.pump.log.enabled = [.network]
    loop.pump.log.messageHandler = { [unowned self] _, message in log.append(message) }
  }

  /// Starts `request`; `receive` gets its result.
  @discardableResult
  func start(_ request: HTTPRequest, _ receive: @escaping (NetworkResult) -> Void = { _ in })
    -> any RequestNetworking
  {
    provider.startRequest(request, completion: loop.pump.completion(receive))
  }

  /// Sends `request` and waits for its result.
  func send(_ request: HTTPRequest) throws -> NetworkResult {
    var result: NetworkResult?
    start(request) { result = $0 }
    turn { result != nil }
    return try #require(result)
  }

  func get(_ url: String) throws -> NetworkResult {
    try send(HTTPRequest(method: "GET", url: url))
  }

  /// As above, with options.
  func get(_ url: String, _ set: (inout TransferOptions) -> Void) throws -> NetworkResult {
    try send(.get(url, set))
  }

  func turn(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    loop.turn(until: condition, sourceLocation: sourceLocation)
  }

  /// - Parameter timers: how many may have been needed at once.
  func finish(timers: Int = 4) {
    #expect(provider.activeCount == 0)
    provider.close()
    loop.turn(.noWait)
    // The loop's own wake-up, and timers `turn` and the provider used, kept for the next.
    #expect(loop.activeTimerCount == 0)
    #expect(!loop.openHandleKinds.contains("poll"))
    #expect(loop.openHandleKinds.filter { $0 == "timer" }.count <= timers)
    loop.close()
    #expect(loop.openHandleKinds == [])
  }
}

extension NetworkResult {
  var text: String? { body.map { String(decoding: $0, as: UTF8.self) } }
}

extension HTTPRequest {
  /// A GET with options.
  static func get(_ url: String, _ set: (inout TransferOptions) -> Void) -> HTTPRequest {
    var options = TransferOptions()
    set(&options)
    return HTTPRequest(method: "GET", url: url, options: options)
  }
}
