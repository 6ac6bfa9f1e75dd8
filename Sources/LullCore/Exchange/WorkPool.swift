/// Threads for slow work on Sendable values: parsing large bodies, files. (PIPE-16, THR-02)
package protocol WorkPool: AnyObject {
  /// Runs `work` on another thread, soon, once. It reports through an `Inbox`.
  func run(_ work: @escaping @Sendable () -> Void)
}
