/// A cache whose options can be told from those of another.
package protocol ComparedCache: AnyObject {
  /// What tells them apart in this process.
  var fingerprint: Int { get }
}

extension Pipeline {
  /// What tells the options of its caches from those of others in this process.
  package var fingerprint: Int {
    order.map { (self[$0].cache as? any ComparedCache)?.fingerprint ?? 0 }.hashValue
  }
}
