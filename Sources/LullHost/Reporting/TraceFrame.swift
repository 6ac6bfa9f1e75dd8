import CLullBridge
import LullCore

/// One level of a stack when an error was raised.
package struct TraceFrame: Equatable {
  package enum Kind: Equatable {
    case lua
    /// A C function of the interpreter or of a C module.
    case c
    /// A C function of Lull's own.
    case host
    /// As many levels as `line` says.
    case skipped
  }

  package var kind = Kind.lua
  package var source = ChunkSource.unknown
  /// The chunk as messages name it.
  package var shortSource = ""
  /// 0 if unknown.
  package var line = 0
  /// The function as tracebacks name it.
  var title = ""
  /// The function as its caller named it; "" if unknown.
  package var name = ""
  /// What that name is: `global`, `local`, `method`, `field`, `upvalue`, …
  var nameKind = ""
  /// Whoever called it is not on the stack any more.
  var isTailCall = false
}

/// Where the text of a chunk is.
package enum ChunkSource: Hashable {
  case file([UInt8])
  /// A text shown under this name: `stdin`.
  case named([UInt8])
  /// A string given to `load`.
  case text([UInt8])
  case unknown

  /// - Parameter name: as the interpreter has it: a mark and a name, or the text itself. (Lua 5.4
  ///   manual, `lua_Debug`)
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
    // So many bytes are there, in the arena.
    source = ChunkSource(
      chunkName: Array(
        UnsafeRawBufferPointer(start: UnsafeRawPointer(frame.source), count: frame.source_length)))
  }

  private static func text(_ start: UnsafePointer<CChar>?) -> String {
    start.map { String(escapingCString: $0) } ?? ""
  }
}
