internal import LullLibC

/// The end of a program that does what must not be: with a message in every build, which a precondition
/// has in debug builds only.
package enum ProgramMisuse {
  package static func stop(_ message: String) -> Never {
    StandardError.write("Fatal error: \(message)\n")
    abort()
  }

  /// Two tasks wait for the next element of one loop.
  package static func stopTwoReaders(of sequence: String) -> Never {
    stop("two tasks wait for one loop over \(sequence): each needs a loop of its own")
  }
}
