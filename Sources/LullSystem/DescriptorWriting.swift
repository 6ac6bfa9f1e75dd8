import LullLibC

/// Writing to descriptors, which may take less than they are given.
package enum DescriptorWriting {
  /// Writes all of it, however often that is interrupted; the error number, nil if all is written.
  /// A file that may not be that large is an error, EFBIG, and no signal. Blocks as the descriptor does.
  /// Any thread.
  package static func put(_ bytes: [UInt8], into descriptor: Int32) -> Int32? {
    bytes.withUnsafeBufferPointer { put($0, into: descriptor) }
  }

  /// As above, of bytes that somebody else holds.
  package static func put(
    _ bytes: UnsafeBufferPointer<UInt8>, into descriptor: Int32
  ) -> Int32? {
    SignalGuard.withoutSIGXFSZ {
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        let written = LullLibC.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written < 0, errno != EINTR { return errno }
        rest = rest.dropFirst(max(0, written))
      }
      return nil
    }
  }

  /// Whether an error number says that nobody reads any more what is written.
  package static func isUnread(_ code: Int32) -> Bool { code == EPIPE }
}
