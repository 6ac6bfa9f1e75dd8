import CLullBridge
import LullCore

/// One level of the call stack at the time when an error was raised.
package struct TraceFrame: Equatable {
  package enum Kind: Equatable {
    case lua
    /// A C function of the interpreter or of a C module.
    case c
    /// A C function of Lull.
    case host
    /// A place where levels of the stack were omitted; `line` is the number of omitted levels.
    case skipped
  }

  package var kind = Kind.lua
  package var source = ChunkSource.unknown
  /// The name of the chunk, as shown in messages.
  package var shortSource = ""
  /// The line number; 0 if unknown.
  package var line = 0
  /// The description of the function in tracebacks, such as `function 'show'`.
  var title = ""
  /// The name by which the caller refers to the function; empty if it is unknown.
  package var name = ""
  /// The kind of `name`: `global`, `local`, `method`, `field`, `upvalue`, …
  var nameKind = ""
  /// Whether the function was called by a tail call, so that its caller is no longer on the stack.
  var isTailCall = false
}

/// The origin of the source code of a chunk.
package enum ChunkSource: Hashable {
  case file([UInt8])
  /// A text that messages show under this name, such as `stdin`.
  case named([UInt8])
  /// A string that was passed to `load`. The value is the string itself.
  case text([UInt8])
  case unknown

  /// Parses a chunk name.
  ///
  /// - Parameter name: the chunk name in the interpreter's format. It is a prefix and a name, or it
  ///   is the source itself. (Lua 5.4 manual, `lua_Debug`)
  init(chunkName name: [UInt8]) {
    switch name.first {
    case UInt8(ascii: "@"): self = .file(Array(name.dropFirst()))
    case UInt8(ascii: "="): self = .named(Array(name.dropFirst()))
    case nil: self = .unknown
    default: self = .text(name)
    }
  }
}

extension TraceFrame {
  init(_ frame: lull_trace_frame) {
    switch Int(frame.kind) {
    case Int(LULL_FRAME_C): kind = .c
    case Int(LULL_FRAME_HOST): kind = .host
    case Int(LULL_FRAME_SKIPPED): kind = .skipped
    default: kind = .lua
    }
    line = Int(frame.line)
    isTailCall = frame.is_tail_call != 0
    shortSource = TraceFrame.text(frame.short_source)
    title = TraceFrame.text(frame.title)
    name = TraceFrame.text(frame.name)
    nameKind = TraceFrame.text(frame.name_kind)
    // The source is in the arena and has `source_length` bytes.
    source = ChunkSource(
      chunkName: Array(
        UnsafeRawBufferPointer(start: UnsafeRawPointer(frame.source), count: frame.source_length)))
  }

  private static func text(_ start: UnsafePointer<CChar>?) -> String {
    start.map { String(escapingCString: $0) } ?? ""
  }
}
