import LullCore
import LullLibC
import LullSystem
import LullTesting
import Testing

@testable import LullTransport

/// A program of a host of its own: a loop, a service on stubbed networking, and a cache on a server.
final class SharedCacheHost {
  let loop: EventLoop
  let provider = StubProvider()
  let service: Service
  let cache: SharedEntityCache
  let folder: CacheFolderFixture

  /// - Parameters:
  ///   - url: of the server; nil: none is named.
  ///   - folder: of this machine; nil: one of its own.
  ///   - patience: for one operation, in seconds: a busy machine takes longer than a program's 50 ms, and
  ///     what is asked here is not whether it does.
  init(
    _ url: String?, folder: CacheFolderFixture? = nil, stage: PipelineStageKey = .parsing,
    patience: Double = 2, _ change: (inout SharedEntityCache.Options) -> Void = { _ in }
  ) throws {
    let given = try folder ?? #require(CacheFolderFixture())
    self.folder = given
    loop = try EventLoop()
    loop.pump.limits = SharedLimits(loop.pump, path: given.folder + "/limits.db")
    try SharedLimits.share(url.map { Share(url: $0) }, on: loop.pump)
    (loop.pump.limits as? SharedLimits)?.connected?.patience = { lane in
      var given = lane.patience
      given.operation = patience
      return given
    }
    service = Service(baseURL: "https://api.test", networking: provider, pump: loop.pump)
    var options = SharedEntityCache.Options()
    options.path = given.path
    change(&options)
    cache = try SharedEntityCache(options)
    service.configure { [cache] in
      $0.pipeline[stage].cacheUsing(cache)
      $0.expirationTime = 30
    }
  }

  deinit { loop.close() }

  var client: ShareClient {
    get throws { try #require((loop.pump.limits as? SharedLimits)?.connected) }
  }

  func stub(_ path: String, _ answers: StubProvider.Answer...) {
    provider.stub("GET", "https://api.test" + path, answers: answers)
  }

  /// What a resource has that is loaded if it needs to be, as text.
  func content(_ path: String) -> String? {
    let resource = service.resource(path)
    let request = resource.loadIfNeeded()
    loop.turn { request?.isCompleted ?? true }
    settle()
    return SharedCacheHost.text(resource.latestData)
  }

  /// After a load of what the server is to have.
  @discardableResult
  func loaded(_ path: String, _ answer: StubProvider.Answer) -> Resource {
    stub(path, answer)
    let resource = service.resource(path)
    let request = resource.load()
    loop.turn { request.isCompleted }
    settle()
    return resource
  }

  /// Until the server has been told whatever it is to be told.
  func settle() {
    loop.turn { !loop.pump.ending.isHeld && !loop.pump.hasWork }
  }

  static func text(_ entity: Entity?) -> String? {
    switch entity?.content {
    case .text(let text): return text
    case .bytes(let bytes): return "\(bytes)"
    case .json(let document):
      var text: [UInt8] = []
      document.root.encode(into: &text, pretty: false)
      return String(decoding: text, as: UTF8.self)
    default: return nil
    }
  }
}

extension [SharedCacheHost] {
  /// How much the network was asked for, by all of them.
  var requestCount: Int { reduce(0) { $0 + $1.provider.requests.count } }

  /// Turns all of them, half a minute at most.
  func turn(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let end = SystemClock.uptime + 30
    while !condition() {
      guard SystemClock.uptime < end else {
        Issue.record("nothing came for half a minute", sourceLocation: sourceLocation)
        return
      }
      for host in self { host.loop.turn(.noWait) }
      usleep(500)
    }
  }

  func turn(seconds: Double) {
    let end = SystemClock.uptime + seconds
    turn { SystemClock.uptime >= end }
  }
}
