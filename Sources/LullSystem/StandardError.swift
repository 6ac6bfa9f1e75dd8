import LullLibC
import Synchronization

/// Writes whole messages to standard error, bypassing the buffers of the C library. On a terminal,
/// control characters are made visible.
package enum StandardError {
  /// Receives the output instead, for tests, in the task that sets it.
  @TaskLocal package static var sink: (@Sendable (String) -> Void)?

  /// Writes messages in another form for the whole process; nil: unchanged.
  private static let form = Mutex<(@Sendable (String) -> Void)?>(nil)
  private static let hasForm = Atomic(false)

  /// Whether programs read it, so that bars and colours have no place in it. Any thread.
  package static var isFormed: Bool { hasForm.load(ordering: .relaxed) }

  /// Passes messages to a function that calls `put`; nil: they are written unchanged.
  package static func setForm(_ function: (@Sendable (String) -> Void)?) {
    form.withLock { $0 = function }
    hasForm.store(function != nil, ordering: .relaxed)
  }

  package static func write(_ text: String) {
    write(Array(text.utf8))
  }

  package static func write(_ bytes: [UInt8]) {
    if let sink { return sink(String(decoding: bytes, as: UTF8.self)) }
    if isFormed, let form = form.withLock({ $0 }) {
      return form(String(decoding: bytes, as: UTF8.self))
    }
    put(bytes)
  }

  /// Writes bytes past the form.
  package static func put(_ bytes: [UInt8]) {
    StatusLines.clear()
    let bytes = StandardTerminals.showsErrors ? TerminalText.visible(bytes) : bytes
    // A closed or full standard error must not stop the program.
    _ = DescriptorWriting.put(bytes, into: STDERR_FILENO)
  }
}

/// Writes to descriptors, which may accept fewer bytes than given.
package enum DescriptorWriting {
  /// Writes all bytes, despite interruptions. Returns the error number; nil on success. Exceeding
  /// the file size limit is the error EFBIG instead of a signal. Blocks as the descriptor does. Any
  /// thread.
  package static func put(_ bytes: [UInt8], into descriptor: Int32) -> Int32? {
    bytes.withUnsafeBufferPointer { put($0, into: descriptor) }
  }

  /// Writes bytes from a buffer.
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

  /// Whether an error number means that the reader has closed the output.
  package static func isUnread(_ code: Int32) -> Bool { code == EPIPE }
}

/// Error messages of the system.
package enum ErrorText {
  /// The message, such as `No such file or directory`. Any thread.
  package static func of(_ code: Int32) -> String {
    // The result of strerror is valid until this thread calls it again.
    String(cString: strerror(code))
  }
}
