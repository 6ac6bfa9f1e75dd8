import Glibc

/// Threads that may block: unlike those of the concurrency pool there is always one more.
package enum Background {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  package static func run(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    // Given to the thread, which takes it back as its first act.
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    let status = pthread_create(
      &thread, nil,
      { work in
        guard let work else { return nil }
        // Retained above, once per thread.
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work)
    precondition(status == 0, "no more threads")
    pthread_detach(thread)
  }
}
