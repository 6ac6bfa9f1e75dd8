import LullCore

/// The lines at the head of an imported file, by which a second import repeats the first.
package struct ImportOrigin {
  /// The words of the command behind `lull import`, without credentials.
  package var words: [String]
  package var only: [String]

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

  /// What a file says that was imported: the patterns of `--only`.
  package static func only(in file: [UInt8]) -> [String] {
    var patterns: [String] = []
    for line in String(decoding: file, as: UTF8.self).split(separator: "\n") {
      guard line.hasPrefix("-- ") else { break }
      if line.dropFirst(3).hasPrefix(mark) {
        patterns.append(String(line.dropFirst(3 + mark.count)))
      }
    }
    return patterns
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
