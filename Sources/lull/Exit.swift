import Glibc
import LullCore

/// Leaving the process.
enum Exit {
  /// Ends the process with what was printed written out. What libraries would tidy up at exit the
  /// kernel tidies faster.
  static func now(_ code: Int32) -> Never {
    fflush(nil)
    _exit(code)
  }

  /// Gives closed standard streams a place to go: a socket must not get their descriptors.
  static func openStandardStreams() {
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      guard descriptor >= 0, descriptor <= 2 else {
        if descriptor > 2 { close(descriptor) }
        return
      }
    }
  }

  static func complain(_ text: String) {
    StandardError.write(text)
  }
}
