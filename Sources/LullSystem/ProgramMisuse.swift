internal import LullLibC

/// The end of a program that does what must not be: with a message in every build, which a precondition
/// has in debug builds only.
package enum ProgramMisuse {
  package static func stop(_ message: String) -> Never {
    StandardError.write("Fatal error: \(message)\n")
    abort()
  }
}
