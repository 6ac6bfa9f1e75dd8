import CUV
import LullCore

/// A signal as an event of the loop: the action runs on the home thread with one of the next turns.
///
/// For signals that ask for no haste, such as that of a terminal that has changed its size. The old
/// disposition is back after `close`. Home thread only.
package final class SignalWatch {
  private let watch: LoopWatch<uv_signal_t>

  package init?(_ number: Int32, on loop: EventLoop, _ action: @escaping () -> Void) {
    let watch = LoopWatch<uv_signal_t>(
      on: loop, action, make: { uv_signal_init($0, $1) },
      start: { handle in
        uv_signal_start(handle, { told, _ in LoopAction.tell(told?.pointee.data) }, number)
      })
    guard let watch else { return nil }
    self.watch = watch
  }

  package func close() { watch.close() }
}
