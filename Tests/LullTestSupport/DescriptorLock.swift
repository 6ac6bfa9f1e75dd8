import Synchronization

/// Held while a process is started, and while a descriptor is made that becomes close-on-exec only
/// in a second step: a child started between the two would keep it open, and whoever waits for its
/// end would wait for that child.
package enum DescriptorLock {
  private static let lock = Mutex(())

  package static func hold<Result: Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { _ throws(Failure) in try body() }
  }
}
