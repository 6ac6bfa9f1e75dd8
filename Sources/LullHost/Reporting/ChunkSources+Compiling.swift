import CLullBridge
import LullCore

/// Lua code that ships: a file of the bridge's `scripts`.
package enum ShippedScript {
  case test
  case filter
  case environment

  package var bytes: [UInt8] {
    var length = 0
    let script =
      switch self {
      case .test: LULL_SCRIPT_TEST
      case .filter: LULL_SCRIPT_FILTER
      case .environment: LULL_SCRIPT_ENVIRONMENT
      }
    let text = lull_script_text(script, &length)
    // It stays, and has that length.
    return Array(UnsafeRawBufferPointer(start: text, count: length))
  }
}

/// Texts of Lua that Swift compiles for itself, to be called as often as it likes.
extension ChunkSources {
  /// Compiles a text, and holds what comes of it until it is released.
  ///
  /// - Parameters:
  ///   - name: as the interpreter has it, with its mark.
  ///   - shown: the text that reports show of it; nil: as it is.
  package func compile(
    _ source: [UInt8], name: [UInt8], shown: [UInt8]? = nil
  ) throws(Chunk.Problem) -> Chunk {
    remember(shown ?? source, chunkName: name)
    return try load(source, name, lull_load)
  }

  /// The same of a chunk's compiled form, which takes less time.
  ///
  /// - Parameter form: what `form(of:)` has given in this process: Lua does not check it.
  package func load(
    form: [UInt8], of source: [UInt8], name: [UInt8]
  ) throws(Chunk.Problem) -> Chunk {
    remember(source, chunkName: name)
    return try load(form, name, lull_load_dumped)
  }

  /// The compiled form of a chunk, with its lines; nil without memory.
  package func form(of chunk: Chunk) -> [UInt8]? {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var length = 0
    return lull_dump(bridge.pointer, chunk.callable.id, &length).map { bytes in
      // In the arena, until the mark is released.
      Array(UnsafeRawBufferPointer(start: bytes, count: length))
    }
  }

  private typealias Loader = (
    OpaquePointer?, UnsafePointer<CChar>?, Int, UnsafePointer<CChar>?, Int64,
    UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) -> Int32

  private func load(
    _ source: [UInt8], _ name: [UInt8], _ loader: Loader
  ) throws(Chunk.Problem) -> Chunk {
    let id = stored.makeID()
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var message: UnsafePointer<CChar>?
    let status = source.withUnsafeBytes { bytes in
      loader(
        bridge.pointer, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count,
        name.map(CChar.init(bitPattern:)) + [0], id, &message)
    }
    guard status == 0 else {
      throw Chunk.Problem(
        message: message.map { String(escapingCString: $0) } ?? "cannot be compiled")
    }
    return Chunk(id, bridge)
  }
}

/// A text of Lua that was compiled for Swift to call, and is held until released.
package struct Chunk {
  /// The message of the compiler.
  package struct Problem: Error {
    package let message: String
  }

  private let id: Int64
  private let bridge: BridgeRuntime

  init(_ id: Int64, _ bridge: BridgeRuntime) {
    self.id = id
    self.bridge = bridge
  }

  package var callable: Callable { Callable(id: id) }

  /// Itself, to be given to another function.
  package var value: LuaValue { .ref(id) }

  /// Lets the collector have it.
  package func release() { lull_value_unpin(bridge.pointer, id) }
}
