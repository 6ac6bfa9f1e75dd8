import LullLibC
import LullCore

/// The words of the command line, as bytes and as texts: names of files and arguments need not be
/// UTF-8.
enum CommandWords {
  static var all: [[UInt8]] {
    (0..<Int(CommandLine.argc)).map { index in
      guard let word = CommandLine.unsafeArgv[index] else { return [] }
      // A C string that lives as long as the process.
      return Array(UnsafeBufferPointer(start: word, count: strlen(word))).map(
        UInt8.init(bitPattern:))
    }
  }

  /// As people read them.
  static var texts: [String] { all.map { String(escaping: $0) } }

  /// Refuses a word that is no text, for commands whose words end up in requests and settings.
  static func requireTexts(for command: Command) throws(CommandEnd) {
    for word in all where ByteString(word).text == nil {
      throw .wrongUsage("the argument '\(String(escaping: word))' is not valid UTF-8", command)
    }
  }
}
