import CUV
import LullLibC
import LullCore

/// Waits, as part of an event loop, until something can be read from a descriptor of somebody else's,
/// such as a terminal.
///
/// Once that is so, `isReady` stays true and the descriptor is left alone until `rearm`, so that
/// what nobody reads keeps no loop busy. Close it before the descriptor and before the loop. Home
/// thread only.
package final class DescriptorWatch {
  /// Whether there is something to read, or the end.
  package private(set) var isReady = false
  private var poll: UnsafeMutablePointer<uv_poll_t>?

  /// Nil if the system cannot watch it: a file can always be read.
  package convenience init?(_ descriptor: Int32, on loop: EventLoop) {
    self.init(descriptor, handle: loop.handle)
  }

  /// On the loop whose time it is; nil also if that is no loop's.
  convenience init?(_ descriptor: Int32, onLoopOf clock: any HostClock) {
    guard let handle = (clock as? LoopClock)?.handle else { return nil }
    self.init(descriptor, handle: handle)
  }

  private init?(_ descriptor: Int32, handle: UnsafeMutablePointer<uv_loop_t>) {
    let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    let flags = fcntl(descriptor, F_GETFL)
    guard uv_poll_init(handle, poll, descriptor) == 0 else {
      poll.deallocate()
      return nil
    }
    // libuv makes it non-blocking, and with it everybody else's descriptors of the same terminal.
    _ = fcntl(descriptor, F_SETFL, flags)
    self.poll = poll
    // Unretained: `close` comes before the last reference goes, and after it libuv calls no more.
    poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    rearm()
  }

  deinit { close() }

  /// Watches again, after what was there has been read.
  package func rearm() {
    isReady = false
    guard let poll else { return }
    let events = Int32(UV_READABLE.rawValue | UV_DISCONNECT.rawValue)
    if uv_poll_start(poll, events, DescriptorWatch.becameReady) != 0 { isReady = true }
  }

  package func close() {
    if let poll { UVHandle.closeAndFree(poll) }
    poll = nil
  }

  private static let becameReady: uv_poll_cb = { poll, _, _ in
    guard let poll, let data = poll.pointee.data else { return }
    uv_poll_stop(poll)
    // `data` is the watch of `init`; libuv calls nobody after `close`.
    Unmanaged<DescriptorWatch>.fromOpaque(data).takeUnretainedValue().isReady = true
  }
}
