import CLullBridge
import LullCore

/// Lua code that is part of Lull: a file in the bridge's folder `scripts`.
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
    // The text is a static constant of `length` bytes.
    return Array(UnsafeRawBufferPointer(start: text, count: length))
  }
}

/// Compiles Lua source for functions that Swift calls repeatedly.
extension ChunkSources {
  /// Compiles source code. The compiled function is kept alive until `Chunk.release()` is called.
  ///
  /// - Parameters:
  ///   - name: the chunk name in the interpreter's format, with its prefix.
  ///   - shown: the source to show in reports; nil to show the compiled source.
  package func compile(
    _ source: [UInt8], name: [UInt8], shown: [UInt8]? = nil
  ) throws(Chunk.Problem) -> Chunk {
    remember(shown ?? source, chunkName: name)
    return try load(source, name, lull_load)
  }

  /// Loads the compiled form of a chunk, which takes less time than compiling the source.
  ///
  /// - Parameter form: a result of `form(of:)` from this process. Lua does not verify the compiled
  ///   form.
  package func load(
    form: [UInt8], of source: [UInt8], name: [UInt8]
  ) throws(Chunk.Problem) -> Chunk {
    remember(source, chunkName: name)
    return try load(form, name, lull_load_dumped)
  }

  /// Returns the compiled form of a chunk, with line information. Returns nil if there is not
  /// enough memory.
  package func form(of chunk: Chunk) -> [UInt8]? {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var length = 0
    return lull_dump(bridge.pointer, chunk.callable.id, &length).map { bytes in
      // The bytes are in the arena until the mark is released.
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

/// A compiled Lua function that Swift can call. It is kept alive until `release()` is called.
package struct Chunk {
  /// The error of a source that does not compile, with the compiler's message.
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

  /// The function as a value, to be passed to another function.
  package var value: LuaValue { .ref(id) }

  /// Releases the function, so that the garbage collector may free it.
  package func release() { lull_value_unpin(bridge.pointer, id) }
}
