import CLullBridge
import LullLibC

/// What called what when an error was raised; after the stack that raised it, those of whoever
/// awaited that.
package struct Traceback: Equatable {
  /// Stacks with their frames, innermost first, the host's included.
  package var stacks: [[TraceFrame]] = []

  package init(stacks: [[TraceFrame]] = []) {
    self.stacks = stacks
  }

  /// `LULL_TRACE=1` shows the host's frames too.
  static let showsHost: Bool = {
    guard let value = getenv("LULL_TRACE").map({ String(cString: $0) }) else { return false }
    return !value.isEmpty && value != "0"
  }()

  /// As reports and scripts read it; "" if there is nothing to show.
  var text: String { text(showingHost: Traceback.showsHost) }

  func text(showingHost: Bool) -> String {
    let shown = stacks.map { Traceback.visible($0, showingHost: showingHost) }
      .filter { !$0.isEmpty }
    return shown.enumerated().map { position, frames in
      (position == 0 ? "stack traceback:" : "awaited by:")
        + frames.map { "\n\t" + Traceback.describe($0) }.joined()
    }.joined(separator: "\n")
  }

  /// Frames without those of the host, without C functions nobody can name, and without the function
  /// that only raised the error: the line below says where.
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
  /// What a function that failed had on its stack, and what the error brings with it that was awaited
  /// there.
  init(_ failure: lull_failure) {
    let frames = UnsafeBufferPointer(start: failure.frames, count: Int(failure.frame_count))
    let stack = frames.map { TraceFrame($0) }
    stacks = stack.isEmpty ? [] : [stack]
  }
}
