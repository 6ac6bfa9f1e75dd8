import LullSystem

/// Threads that may block: unlike those of the concurrency pool there is always one more.
package enum Background {
  package static func run(_ body: @escaping @Sendable () -> Void) {
    precondition(NativeThread.start("background", body), "no more threads")
  }
}
