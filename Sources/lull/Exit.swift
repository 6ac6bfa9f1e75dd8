import Glibc
import LullCore

/// Leaving the process.
enum Exit {
  /// Ends the process with what was printed written out.
  static func now(_ code: Int32) -> Never {
    fflush(nil)
    exit(code)
  }

  static func complain(_ text: String) {
    StandardError.write(text)
  }
}
