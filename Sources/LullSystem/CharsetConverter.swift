import LullLibC

/// Converts between two charsets with the C library. The value owns an iconv descriptor, which is
/// closed when the value is destroyed.
package struct CharsetConverter: ~Copyable {
  // Opened in init and closed in deinit only.
  private let descriptor: iconv_t

  /// Opens a converter. Returns nil if iconv doesn't support one of the charsets.
  package init?(from charset: String, to target: String) {
    // On failure iconv_open returns -1 as a pointer, not null.
    guard let descriptor = iconv_open(target, charset),
      descriptor != UnsafeMutableRawPointer(bitPattern: -1)
    else { return nil }
    self.descriptor = descriptor
  }

  deinit {
    iconv_close(descriptor)
  }

  /// Converts all bytes. Returns nil if some bytes can't be converted. With `lossless`, also
  /// returns nil if iconv has replaced a character.
  package borrowing func convert(_ bytes: UnsafeBufferPointer<UInt8>, lossless: Bool) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + bytes.count / 2)
    // iconv takes a mutable pointer but only reads the input.
    var input = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?
      .assumingMemoryBound(to: CChar.self)
    var inputLeft = bytes.count
    var isFlushing = inputLeft == 0
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { chunk in
      while true {
        var next = chunk.baseAddress
        var room = chunk.count
        // After the input, a null input makes iconv write the rest: the return to the initial shift
        // state, or a character that might have been combined.
        let replaced =
          isFlushing
          ? iconv(descriptor, nil, nil, &next, &room)
          : iconv(descriptor, &input, &inputLeft, &next, &room)
        let failure = errno
        // iconv has filled the chunk except for `room`.
        output += UnsafeRawBufferPointer(chunk)[..<(chunk.count - room)]
        if replaced == -1 {
          guard failure == E2BIG else { return nil }
        } else if replaced > 0, lossless {
          return nil
        } else if isFlushing {
          return output
        } else {
          isFlushing = true
        }
      }
    }
  }
}
