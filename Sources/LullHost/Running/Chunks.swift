import CLullBridge
import LullCore

/// Texts of Lua that Swift compiles for itself, to be called as often as it likes.
///
/// Home thread only.
package final class Chunks {
  private let bridge: BridgeRuntime
  private let kept: KeptValues
  private let sources: ChunkSources

  init(_ bridge: BridgeRuntime, _ kept: KeptValues, _ sources: ChunkSources) {
    self.bridge = bridge
    self.kept = kept
    self.sources = sources
  }

  /// Compiles a text, and holds what comes of it until it is released.
  ///
  /// - Parameters:
  ///   - name: as the interpreter has it, with its mark.
  ///   - shown: the text that reports show of it; nil: as it is.
  package func compile(
    _ source: [UInt8], name: [UInt8], shown: [UInt8]? = nil
  ) throws(Chunk.Problem) -> Chunk {
    sources.remember(shown ?? source, chunkName: name)
    let id = kept.makeID()
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var message: UnsafePointer<CChar>?
    let status = source.withUnsafeBytes { bytes in
      lull_load(
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
