import CUV
import LullCore

/// Waits, as part of an event loop, until something in a folder changes: a file is written, comes or goes.
///
/// It says no more than that, and nothing of the folders in it: who wants to know what has changed looks. The action
/// runs on the home thread with one of the next turns. Close it before the loop. Home thread only.
package final class FolderWatch {
  private let watch: LoopWatch<uv_fs_event_t>

  /// nil if there is no such folder, or the system watches no more of them.
  package init?(_ path: String, on loop: EventLoop, _ action: @escaping () -> Void) {
    let watch = LoopWatch<uv_fs_event_t>(
      on: loop, action, make: { uv_fs_event_init($0, $1) },
      start: { handle in
        uv_fs_event_start(handle, { told, _, _, _ in LoopAction.tell(told?.pointee.data) }, path, 0)
      })
    guard let watch else { return nil }
    self.watch = watch
  }

  package func close() { watch.close() }
}
