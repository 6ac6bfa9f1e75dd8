import CHiredis

/// A command for a server of the Redis kind, by its words.
struct RESPCommand {
  private(set) var words: [[UInt8]]

  init(_ words: [[UInt8]]) {
    self.words = words
  }

  init(_ words: String...) {
    self.words = words.map { Array($0.utf8) }
  }

  /// As it is sent, by hiredis; nil without memory, or without the library.
  var wire: [UInt8]? {
    guard chiredis_load() == nil, let count = Int32(exactly: words.count) else { return nil }
    let lengths = words.map(\.count)
    let all = words.flatMap { $0 }
    return all.withUnsafeBytes { all in
      let start = all.assumingMemoryBound(to: CChar.self).baseAddress
      var offset = 0
      let pointers = lengths.map { length in
        defer { offset += length }
        return start.map { $0 + offset }
      }
      var byteCount = 0
      // Pointers and lengths are of as many words as it is told, in `all`, which outlives the call.
      guard let made = chiredis_format(count, pointers, lengths, &byteCount) else { return nil }
      defer { chiredis_free(made) }
      return Array(UnsafeRawBufferPointer(start: made, count: byteCount))
    }
  }
}
