import CLullBridge
import LullLibC

/// The call stacks of an error: first the stack in which it was raised, then the stacks that
/// awaited it.
package struct Traceback: Equatable {
  /// The frames of each stack, innermost first. They include the frames of the host.
  package var stacks: [[TraceFrame]] = []

  package init(stacks: [[TraceFrame]] = []) {
    self.stacks = stacks
  }

  /// Whether tracebacks also show the frames of the host, because `LULL_TRACE=1` is set.
  static let showsHost: Bool = {
    guard let value = getenv("LULL_TRACE").map({ String(cString: $0) }) else { return false }
    return !value.isEmpty && value != "0"
  }()

  /// The traceback as text for reports and scripts; empty if there is nothing to show.
  var text: String { text(showingHost: Traceback.showsHost) }

  func text(showingHost: Bool) -> String {
    let shown = stacks.map { Traceback.visible($0, showingHost: showingHost) }
      .filter { !$0.isEmpty }
    return shown.enumerated().map { position, frames in
      (position == 0 ? "stack traceback:" : "awaited by:")
        + frames.map { "\n\t" + Traceback.describe($0) }.joined()
    }.joined(separator: "\n")
  }

  /// Returns the frames to show. Frames of the host and unnamed C functions are left out. The call
  /// of `error` or `assert` that raised the error is left out too, because the next frame shows the
  /// place.
  static func visible(_ frames: [TraceFrame], showingHost: Bool) -> [TraceFrame] {
    guard !showingHost else { return frames }
    var shown = frames.filter { frame in
      switch frame.kind {
      case .lua, .skipped: true
      case .c: frame.title != "?"
      case .host: false
      }
    }
    if shown.count > 1, let first = shown.first, first.kind == .c,
      ["function 'error'", "function 'assert'"].contains(first.title)
    {
      shown.removeFirst()
    }
    return shown
  }

  private static func describe(_ frame: TraceFrame) -> String {
    guard frame.kind != .skipped else { return "...\t(skipping \(frame.line) levels)" }
    let place = frame.line > 0 ? "\(frame.shortSource):\(frame.line)" : frame.shortSource
    return "\(place): in \(frame.title)" + (frame.isTailCall ? "\n\t(...tail calls...)" : "")
  }
}

extension Traceback {
  /// Creates the traceback of a failed function from the frames of its stack.
  init(_ failure: lull_failure) {
    let frames = UnsafeBufferPointer(start: failure.frames, count: Int(failure.frame_count))
    let stack = frames.map { TraceFrame($0) }
    stacks = stack.isEmpty ? [] : [stack]
  }
}
