import LullLibC

/// What the system says of its error numbers.
package enum ErrorText {
  /// Such as `No such file or directory`. Any thread.
  package static func of(_ code: Int32) -> String {
    // What strerror returns is valid until this thread calls it again.
    String(cString: strerror(code))
  }
}
