import LullHost

/// Compiled chunks that are kept from one test to the next: `lull.test` itself and the test file.
final class CompiledChunks {
  private var known: [[UInt8]: (source: [UInt8], form: [UInt8])] = [:]

  /// The maximum number of chunks. If there are more, all are discarded.
  private static let most = 8

  func chunk(
    _ source: [UInt8], name: [UInt8], in sources: ChunkSources
  ) throws(Chunk.Problem) -> Chunk {
    if let known = known[name], known.source == source {
      return try sources.load(form: known.form, of: source, name: name)
    }
    let chunk = try sources.compile(source, name: name)
    if known[name] == nil, known.count >= CompiledChunks.most { known = [:] }
    known[name] = sources.form(of: chunk).map { (source, $0) }
    return chunk
  }
}
