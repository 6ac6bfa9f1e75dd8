import CLullBridge
import LullCore

/// A text of Lua that was compiled for Swift to call, and is held until released.
package struct Chunk {
  /// The message of the compiler.
  package struct Problem: Error {
    package let message: String
  }

  private let host: LuaHost
  private let id: Int64

  /// - Parameters:
  ///   - name: as the interpreter has it, with its mark.
  ///   - shown: the text that reports show of it; nil: as it is.
  package init(
    _ source: [UInt8], name: String, shown: [UInt8]? = nil, in host: LuaHost
  ) throws(Problem) {
    let name = Array(name.utf8)
    host.sources.remember(shown ?? source, chunkName: name)
    let id = host.kept.makeID()
    let runtime = host.bridge.pointer
    let mark = lull_arena_mark(runtime)
    defer { lull_arena_release(runtime, mark) }
    var message: UnsafePointer<CChar>?
    let status = source.withUnsafeBytes { bytes in
      lull_load(
        runtime, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count,
        name.map(CChar.init(bitPattern:)) + [0], id, &message)
    }
    guard status == 0 else {
      throw Problem(message: message.map { String(escapingCString: $0) } ?? "cannot be compiled")
    }
    self.host = host
    self.id = id
  }

  package var callable: Callable { Callable(id: id) }

  /// Itself, to be given to another function.
  package var value: LuaValue { .ref(id) }

  /// Lets the collector have it.
  package func release() { lull_value_unpin(host.bridge.pointer, id) }
}
