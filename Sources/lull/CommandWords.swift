import Glibc

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

  static var texts: [String] { all.map { String(decoding: $0, as: UTF8.self) } }
}
