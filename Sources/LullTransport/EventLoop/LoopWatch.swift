import CUV
import LullCore
import LullLibC

/// A handle of libuv that tells of something now and then: the action runs on the home thread with one of the next
/// turns.
///
/// Close it before the loop. Home thread only.
final class LoopWatch<Handle> {
  private var handle: UnsafeMutablePointer<Handle>?
  private let told: LoopAction

  /// nil if the system has no such handle to give.
  ///
  /// - Parameters:
  ///   - make: sets the handle up.
  ///   - start: has it call back; what it is to hand to `LoopAction.tell` is in its data.
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
    // Unretained: `close` comes before the last reference goes, and after it libuv calls no more.
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

/// What a watch does when it is told of something.
final class LoopAction {
  private let loop: EventLoop
  private let action: () -> Void
  fileprivate var isOver = false

  fileprivate init(_ loop: EventLoop, _ action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
  }

  /// - Parameter data: of the handle that libuv has called back for.
  static func tell(_ data: UnsafeMutableRawPointer?) {
    guard let data else { return }
    // `data` is that of `LoopWatch.init`; libuv calls nobody after `close`.
    let told = Unmanaged<LoopAction>.fromOpaque(data).takeUnretainedValue()
    // Not inside libuv: the action may turn the loop.
    told.loop.pump.enqueue { [weak told] in
      if let told, !told.isOver { told.action() }
    }
  }
}

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
