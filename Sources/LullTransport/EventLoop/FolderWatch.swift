import CUV
import LullCore

/// Waits, as part of an event loop, until something in a folder changes: a file is written, comes or goes.
///
/// It says no more than that, and nothing of the folders in it: who wants to know what has changed looks. The action
/// runs on the home thread with one of the next turns. Close it before the loop. Home thread only.
package final class FolderWatch {
  private var handle: UnsafeMutablePointer<uv_fs_event_t>?
  private let loop: EventLoop
  private let action: () -> Void

  /// nil if there is no such folder, or the system watches no more of them.
  package init?(_ path: String, on loop: EventLoop, _ action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
    let handle = UnsafeMutablePointer<uv_fs_event_t>.allocate(capacity: 1)
    guard uv_fs_event_init(loop.handle, handle) == 0 else {
      handle.deallocate()
      return nil
    }
    self.handle = handle
    // Unretained: `close` comes before the last reference goes, and after it libuv calls no more.
    handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    guard uv_fs_event_start(handle, FolderWatch.changed, path, 0) == 0 else {
      close()
      return nil
    }
  }

  deinit { close() }

  package func close() {
    if let handle { UVHandle.closeAndFree(handle) }
    handle = nil
  }

  private static let changed: uv_fs_event_cb = { handle, _, _, _ in
    guard let data = handle?.pointee.data else { return }
    // `data` is the watch of `init`; libuv calls nobody after `close`.
    let watch = Unmanaged<FolderWatch>.fromOpaque(data).takeUnretainedValue()
    // Not inside libuv: the action may turn the loop.
    watch.loop.pump.enqueue { [weak watch] in
      if let watch, watch.handle != nil { watch.action() }
    }
  }
}
