import Glibc

/// Writing to descriptors, which may take less than they are given.
package enum DescriptorWriting {
  /// Writes all of it, however often that is interrupted; the error number, nil if all is written.
  /// Blocks as the descriptor does. Any thread.
  package static func put(_ bytes: [UInt8], into descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { raw in
      var rest = raw[...]
      while !rest.isEmpty {
        let written = Glibc.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written < 0, errno != EINTR { return errno }
        rest = rest.dropFirst(max(0, written))
      }
      return nil
    }
  }
}
