import LullLibC

/// Whole-message writes to standard error, past any buffering of the C library. On a terminal control
/// characters are made visible.
package enum StandardError {
  /// What takes it instead, for tests: in the task that sets it.
  @TaskLocal package static var sink: (@Sendable (String) -> Void)?

  package static func write(_ text: String) {
    write(Array(text.utf8))
  }

  package static func write(_ bytes: [UInt8]) {
    if let sink { return sink(String(decoding: bytes, as: UTF8.self)) }
    StatusLines.clear()
    let bytes = StandardTerminals.showsErrors ? TerminalText.visible(bytes) : bytes
    // A closed or full standard error must not stop the program it reports on.
    _ = DescriptorWriting.put(bytes, into: STDERR_FILENO)
  }
}

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

/// What the system says of its error numbers.
package enum ErrorText {
  /// Such as `No such file or directory`. Any thread.
  package static func of(_ code: Int32) -> String {
    // What strerror returns is valid until this thread calls it again.
    String(cString: strerror(code))
  }
}
