import CUV
import LullCore
import LullLibC

/// A libuv handle that reports events: the action runs on the home thread on one of the next turns.
///
/// Close it before the loop. Home thread only.
final class LoopWatch<Handle> {
  private var handle: UnsafeMutablePointer<Handle>?
  private let told: LoopAction

  /// Returns nil if the system cannot provide such a handle.
  ///
  /// - Parameters:
  ///   - make: Initialises the handle.
  ///   - start: Starts the callbacks of the handle. Each callback passes the handle's data to
  ///     `LoopAction.tell`.
  init?(
    on loop: EventLoop, _ action: @escaping () -> Void,
    make: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Handle>) -> Int32,
    start: (UnsafeMutablePointer<Handle>) -> Int32
  ) {
    told = LoopAction(loop, action)
    let handle = UnsafeMutablePointer<Handle>.allocate(capacity: 1)
    guard make(loop.handle, handle) == 0 else {
      handle.deallocate()
      return nil
    }
    self.handle = handle
    // Every libuv handle begins with the fields of uv_handle_t; this is libuv's own way to cast.
    let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
    // Unretained: `close` is called before the last reference is released, and libuv makes no calls
    // after it.
    base.pointee.data = Unmanaged.passUnretained(told).toOpaque()
    guard start(handle) == 0 else {
      close()
      return nil
    }
  }

  deinit { close() }

  func close() {
    if let handle { UVHandle.closeAndFree(handle) }
    handle = nil
    told.isOver = true
  }
}

/// The action of a watch.
final class LoopAction {
  private let loop: EventLoop
  private let action: () -> Void
  fileprivate var isOver = false

  fileprivate init(_ loop: EventLoop, _ action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
  }

  /// Schedules the action of a handle for which libuv has made a callback.
  ///
  /// - Parameter data: The data of that handle.
  static func tell(_ data: UnsafeMutableRawPointer?) {
    guard let data else { return }
    // `data` is that of `LoopWatch.init`; libuv makes no calls after `close`.
    let told = Unmanaged<LoopAction>.fromOpaque(data).takeUnretainedValue()
    // The action does not run inside libuv, because it may turn the loop.
    told.loop.pump.enqueue { [weak told] in
      if let told, !told.isOver { told.action() }
    }
  }
}

/// Waits, as part of an event loop, until a descriptor of another owner, such as a terminal, is
/// readable.
///
/// When the descriptor is readable, `isReady` stays true and the descriptor is not watched until
/// `rearm`, so that unread input does not keep the loop busy. Close the watch before the descriptor
/// and before the loop. Home thread only.
package final class DescriptorWatch {
  /// Whether there is input, or the input has ended.
  package private(set) var isReady = false
  private var poll: UnsafeMutablePointer<uv_poll_t>?

  /// Returns nil if the system cannot watch the descriptor. An example is the descriptor of a file,
  /// which is always readable.
  package convenience init?(_ descriptor: Int32, on loop: EventLoop) {
    self.init(descriptor, handle: loop.handle)
  }

  /// Watches on the loop of `clock`. Also returns nil if the clock does not belong to a loop.
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
    // libuv makes the terminal non-blocking for all processes that use it; this restores its flags.
    _ = fcntl(descriptor, F_SETFL, flags)
    self.poll = poll
    // Unretained: `close` is called before the last reference is released, and libuv makes no calls
    // after it.
    poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    rearm()
  }

  deinit { close() }

  /// Watches again, after the input has been read.
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
    // `data` is the watch of `init`; libuv makes no calls after `close`.
    Unmanaged<DescriptorWatch>.fromOpaque(data).takeUnretainedValue().isReady = true
  }
}

/// Waits, as part of an event loop, until a file in a folder is written, created or removed.
///
/// The watch does not report which file was changed: the action has to check that. Subfolders are
/// not watched. The action runs on the home thread on one of the next turns. Close the watch before
/// the loop. Home thread only.
package final class FolderWatch {
  private let watch: LoopWatch<uv_fs_event_t>

  /// Returns nil if there is no such folder, or the system has no more watches.
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

/// A signal as an event of the loop: the action runs on the home thread on one of the next turns.
///
/// Use it for signals that are not urgent, such as SIGWINCH of a resized terminal. `close` restores
/// the old disposition. Home thread only.
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
