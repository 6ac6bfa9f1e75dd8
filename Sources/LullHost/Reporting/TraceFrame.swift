import CLullBridge
import LullCore

/// One level of the stack when an error was raised.
package struct TraceFrame: Equatable {
  package enum Kind: Equatable {
    case lua
    /// A C function of the interpreter or of a C module.
    case c
    /// A C function of Lull.
    case host
    /// Omitted levels; `line` is their number.
    case skipped
  }

  package var kind = Kind.lua
  package var source = ChunkSource.unknown
  /// The name of the chunk in messages.
  package var shortSource = ""
  /// The line number; 0 if unknown.
  package var line = 0
  /// The name of the function in tracebacks.
  var title = ""
  /// The name that the caller used for the function; "" if unknown.
  package var name = ""
  /// The kind of that name: `global`, `local`, `method`, `field`, `upvalue`, …
  var nameKind = ""
  /// Whether its caller is no longer on the stack.
  var isTailCall = false
}

/// The source of a chunk.
package enum ChunkSource: Hashable {
  case file([UInt8])
  /// A text shown under this name, such as `stdin`.
  case named([UInt8])
  /// A string passed to `load`.
  case text([UInt8])
  case unknown

  /// - Parameter name: the chunk name in the interpreter's format: a prefix and a name, or the
  ///   source itself. (Lua 5.4 manual, `lua_Debug`)
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
    // The arena holds that many bytes.
    source = ChunkSource(
      chunkName: Array(
        UnsafeRawBufferPointer(start: UnsafeRawPointer(frame.source), count: frame.source_length)))
  }

  private static func text(_ start: UnsafePointer<CChar>?) -> String {
    start.map { String(escapingCString: $0) } ?? ""
  }
}
