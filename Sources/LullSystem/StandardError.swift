import LullLibC
import Synchronization

/// Writes whole messages to standard error, bypassing the buffers of the C library. On a terminal,
/// control characters are made visible.
package enum StandardError {
  /// A function for tests that receives the output of the current task instead of standard error.
  @TaskLocal package static var sink: (@Sendable (String) -> Void)?

  /// The function that writes the messages of the whole process in another form; nil: messages are
  /// written unchanged.
  private static let form = Mutex<(@Sendable (String) -> Void)?>(nil)
  private static let hasForm = Atomic(false)

  /// Whether messages are written in another form, for programs that read them. Progress bars and
  /// colors must not be written then. Callable on any thread.
  package static var isFormed: Bool { hasForm.load(ordering: .relaxed) }

  /// Sets the function that converts messages and writes them with `put`; nil: messages are written
  /// unchanged.
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

  /// Writes bytes directly, bypassing the function that was set with `setForm`.
  package static func put(_ bytes: [UInt8]) {
    StatusLines.clear()
    let bytes = StandardTerminals.showsErrors ? TerminalText.visible(bytes) : bytes
    // A closed or full standard error must not stop the program.
    _ = DescriptorWriting.put(bytes, into: STDERR_FILENO)
  }
}

/// Writes to descriptors, which may accept fewer bytes than given.
package enum DescriptorWriting {
  /// Writes all bytes, and resumes after interruptions by signals. Returns the error number; nil on
  /// success. If the file size limit is exceeded, the error is EFBIG, and no signal is raised. The
  /// call blocks if the descriptor blocks. Callable on any thread.
  package static func put(_ bytes: [UInt8], into descriptor: Int32) -> Int32? {
    bytes.withUnsafeBufferPointer { put($0, into: descriptor) }
  }

  /// Writes all bytes of a buffer, like the overload for an array.
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
  /// The message, such as `No such file or directory`. Callable on any thread.
  package static func of(_ code: Int32) -> String {
    // The result of strerror is valid until this thread calls it again.
    String(cString: strerror(code))
  }
}
