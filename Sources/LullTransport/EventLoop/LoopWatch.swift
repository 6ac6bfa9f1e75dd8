import CUV
import LullCore

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
