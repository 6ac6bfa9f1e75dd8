import LullCore
import LullSystem
import LullTestSupport
import LullTesting
import LullTransport

/// A folder for a cache file, gone with this object, and services that use it.
final class CacheFolderFixture {
  let folder: String
  var path: String { folder + "/cache.db" }
  private let directory: TemporaryDirectory

  init?() {
    guard let directory = TemporaryDirectory() else { return nil }
    self.directory = directory
    folder = directory.path
  }

  deinit { directory.remove() }

  /// A service on a manual clock and stubbed networking, with a file cache at a stage.
  func harness(
    stage: PipelineStageKey = .parsing, now: Double = 1000,
    _ change: (inout FileEntityCache.Options) -> Void = { _ in }
  ) -> Harness {
    var options = FileEntityCache.Options()
    options.path = path
    change(&options)
    let cache = FileEntityCache(options)
    let harness = Harness()
    harness.clock.advance(by: now - harness.clock.now)
    harness.service.configure { $0.pipeline[stage].cacheUsing(cache) }
    return harness
  }

  /// Files whose names begin with that of the cache, without it.
  var files: [String] {
    let names: [String] = (try? FolderListing.names(in: folder)) ?? []
    return names.filter { $0.hasPrefix("cache.db") && $0 != "cache.db" }
      .map { String($0.dropFirst("cache.db".count)) }.sorted()
  }

  /// Of those set aside, without their write-ahead logs.
  var countSetAside: Int { files.count { $0.contains(".corrupt-") && !$0.hasSuffix("-wal") } }
}

extension Harness {
  /// The text, or the JSON, that a load brings if one is needed.
  func content(_ path: String) -> String? {
    let resource = service.resource(path)
    let request = resource.loadIfNeeded()
    settle()
    let entity = request?.response?.entity ?? resource.latestData
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
