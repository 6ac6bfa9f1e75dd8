import CUV
import LullCore

/// libuv's thread pool for slow work. Its threads start with the first work. (PIPE-16, THR-02)
///
/// The loop waits for running work when it closes, so work must be finite.
final class LoopWorkPool: WorkPool {
  private let loop: UnsafeMutablePointer<uv_loop_t>

  init(loop: UnsafeMutablePointer<uv_loop_t>) {
    self.loop = loop
  }

  func run(_ work: @escaping @Sendable () -> Void) {
    let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
    // The reference is released in the second callback, which libuv makes exactly once, on the
    // loop's thread.
    request.pointee.data = Unmanaged.passRetained(Work(work)).toOpaque()
    let status = uv_queue_work(
      loop, request,
      { request in
        guard let data = request?.pointee.data else { return }
        Unmanaged<Work>.fromOpaque(data).takeUnretainedValue().run()
      },
      { request, _ in
        guard let request, let data = request.pointee.data else { return }
        Unmanaged<Work>.fromOpaque(data).release()
        request.deallocate()
      })
    guard status != 0 else { return }
    // No thread could be started, so the work runs here. Slow work is better than none.
    Unmanaged<Work>.fromOpaque(request.pointee.data).release()
    request.deallocate()
    work()
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
