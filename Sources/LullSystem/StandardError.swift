import LullLibC
import Synchronization

/// Writes whole messages to standard error, bypassing the buffers of the C library. On a terminal,
/// control characters are made visible.
package enum StandardError {
  /// A function for tests that receives the output of the current task instead of standard error.
  @TaskLocal package static var sink: (@Sendable (String) -> Void)?

  /// The function that writes all messages of the process in another form. If nil, messages are
  /// written unchanged.
  private static let form = Mutex<(@Sendable (String) -> Void)?>(nil)
  private static let hasForm = Atomic(false)

  /// Whether messages are written in another form, for programs that read them. In this case,
  /// progress bars and colors must not be written. Callable on any thread.
  package static var isFormed: Bool { hasForm.load(ordering: .relaxed) }

  /// Sets the function that converts messages and writes the result with `put`. If nil, messages
  /// are written unchanged.
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

  /// Writes bytes directly, without calling the function that was set with `setForm`.
  package static func put(_ bytes: [UInt8]) {
    StatusLines.clear()
    let bytes = StandardTerminals.showsErrors ? TerminalText.visible(bytes) : bytes
    // A closed or full standard error must not stop the program.
    _ = DescriptorWriting.put(bytes, into: STDERR_FILENO)
  }
}

/// Writes all bytes to a descriptor, even if a single system call accepts only some of them.
package enum DescriptorWriting {
  /// Writes all bytes to a descriptor. Resumes after interruptions by signals. Returns the error
  /// number; nil on success. If the file size limit is exceeded, returns EFBIG, and no signal is
  /// raised. The call blocks if the descriptor blocks. Callable on any thread.
  package static func put(_ bytes: [UInt8], into descriptor: Int32) -> Int32? {
    bytes.withUnsafeBufferPointer { put($0, into: descriptor) }
  }

  /// Writes all bytes of a buffer to a descriptor, like the overload for an array.
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

  /// Whether an error number means that the output has no reader any more, because the reader has
  /// closed it.
  package static func isUnread(_ code: Int32) -> Bool { code == EPIPE }
}

/// Returns the system's error messages.
package enum ErrorText {
  /// The message for an error number, such as `No such file or directory`. Callable on any thread.
  package static func of(_ code: Int32) -> String {
    // The result of strerror is valid until this thread calls it again.
    String(cString: strerror(code))
  }
}
