import LullCore

/// The lines at the head of an imported file, by which a second import repeats the first.
package struct ImportOrigin {
  /// The words of the command behind `lull import`, without credentials.
  package var words: [String]
  package var only: [String]

  private static let start = "-- Imported by: lull import "
  private static let mark = "Only: "

  package init(words: [String], only: [String]) {
    self.words = words
    self.only = only
  }

  package var lines: [String] {
    ["Imported by: lull import " + words.map(ImportOrigin.quoted).joined(separator: " ")]
      + only.map { ImportOrigin.mark + $0 }
      + ["What is changed here stays when it is imported again."]
  }

  /// What a file says that was imported: of which kind of source; nil: nothing.
  package static func kind(in file: [UInt8]) -> String? {
    let line = file.prefix { $0 != 10 }
    guard line.starts(with: start.utf8) else { return nil }
    let word = line.dropFirst(start.utf8.count).prefix { $0 != 32 && $0 != 13 }
    return String(decoding: word, as: UTF8.self)
  }

  /// Whether a file was imported with `--with-mock`.
  package static func hasMock(in file: [UInt8]) -> Bool {
    lines(of: file).first.map { $0.split(separator: " ").contains("--with-mock") } ?? false
  }

  /// What a file says that was imported: the patterns of `--only`.
  package static func only(in file: [UInt8]) -> [String] {
    lines(of: file).filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
  }

  /// The comments at the head of a file, without dashes.
  private static func lines(of file: [UInt8]) -> [String] {
    var lines: [String] = []
    // Git may have given them the ends of other systems.
    for line in String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline) {
      guard line.hasPrefix("-- ") else { break }
      if line.hasPrefix("--   "), let last = lines.popLast() {
        // A long one goes on.
        lines.append(last + " " + line.dropFirst(5))
      } else {
        lines.append(String(line.dropFirst(3)))
      }
    }
    return lines
  }

  /// As a shell reads it.
  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "-_./:=@%+,".unicodeScalars.contains(scalar)
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
