import CUV
import LullCore

/// A signal as an event of the loop: the action runs on the home thread with one of the next turns.
///
/// For signals that ask for no haste, such as that of a terminal that has changed its size. The old
/// disposition is back after `close`. Home thread only.
package final class SignalWatch {
  private var handle: UnsafeMutablePointer<uv_signal_t>?
  private let loop: EventLoop
  private let action: () -> Void

  package init?(_ number: Int32, on loop: EventLoop, _ action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
    let handle = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: 1)
    guard uv_signal_init(loop.handle, handle) == 0 else {
      handle.deallocate()
      return nil
    }
    self.handle = handle
    // Unretained: `close` comes before the last reference goes, and after it libuv calls no more.
    handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    guard uv_signal_start(handle, SignalWatch.arrived, number) == 0 else {
      close()
      return nil
    }
  }

  deinit { close() }

  package func close() {
    if let handle { UVHandle.closeAndFree(handle) }
    handle = nil
  }

  private static let arrived: uv_signal_cb = { handle, _ in
    guard let data = handle?.pointee.data else { return }
    // `data` is the watch of `init`; libuv calls nobody after `close`.
    let watch = Unmanaged<SignalWatch>.fromOpaque(data).takeUnretainedValue()
    // Not inside libuv: the action may turn the loop.
    watch.loop.pump.enqueue { [weak watch] in
      if let watch, watch.handle != nil { watch.action() }
    }
  }
}
