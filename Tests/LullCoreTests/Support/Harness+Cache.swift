import LullCore
import LullTestSupport
import LullTesting

extension Harness {
  /// A cache at the model stage, with an entry for `/a` of that age, seconds, or none; the network
  /// has others.
  func cache(_ journal: Journal = Journal(), age: Double?) -> SpyCache {
    let cache = SpyCache(journal)
    if let age {
      cache.entries["model a"] = .text("cached", headers: [("ETag", "c")], at: clock.now - age)
    }
    service.configure { $0.pipeline[.model].cacheUsing(cache) }
    stub("GET", "/a", .text("network"), .text("second"))
    return cache
  }
}
