internal import LullLibC

/// Ends the program after a programming error, with a message in every build. A Swift precondition
/// would print its message in debug builds only.
package enum ProgramMisuse {
  package static func stop(_ message: String) -> Never {
    StandardError.write("Fatal error: \(message)\n")
    abort()
  }

  /// Ends the program, because two tasks wait for the next element of the same sequence.
  package static func stopTwoReaders(of sequence: String) -> Never {
    stop("two tasks wait in the same loop over \(sequence): give each task its own loop")
  }
}
