import LullLibC
import Testing

/// `Tests/HTTPie`: lines of items, and what HTTPie makes of each.
enum ItemTable {
  struct Line: Sendable, CustomTestStringConvertible {
    /// Why lull makes something else of it; nil if it does not.
    let difference: String?
    /// As a shell would read it, the method first.
    let text: String
    let answer: Answer

    var testDescription: String { text }
  }

  /// The files that lines name.
  static let files: [(name: String, content: [UInt8])] = rows.compactMap { row in
    let words = words(of: row)
    switch words.first {
    case "text": return (words[1], Array(words[2].utf8))
    case "bytes": return (words[1], bytes(words[2]))
    default: return nil
    }
  }

  static let lines: [Line] = {
    let answers = Answer.all(in: text("answers.txt"))
    return rows.compactMap { row in
      guard !row.hasPrefix("text "), !row.hasPrefix("bytes ") else { return nil }
      let parts = row.split(separator: " | ", maxSplits: 1)
      let isMarked = parts.count == 2 && parts[0].allSatisfy { $0.isLowercase || $0 == "-" }
      let text = isMarked ? String(parts[1]) : row
      return Line(
        difference: isMarked ? String(parts[0]) : nil, text: text,
        answer: answers[text] ?? .missing)
    }
  }()

  /// Whether a word has the name of a file in it, escaped or not.
  static func names(_ file: String, _ word: String) -> Bool {
    word.replacing("\\", with: "").contains(file)
  }

  /// Words as the head of the table says.
  static func words(of line: String) -> [String] {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var isQuoted = false
    for scalar in line.unicodeScalars {
      switch scalar {
      case "'":
        isQuoted.toggle()
        word = word ?? String.UnicodeScalarView()
      case " " where !isQuoted:
        if let finished = word { words.append(String(finished)) }
        word = nil
      default:
        let meant: Unicode.Scalar =
          switch scalar {
          case "␊": "\n"
          case "␍": "\r"
          case "␉": "\t"
          default: scalar
          }
        var longer = word ?? String.UnicodeScalarView()
        longer.append(meant)
        word = longer
      }
    }
    if let word { words.append(String(word)) }
    return words
  }

  private static let rows: [String] = text("items.txt").split(separator: "\n").map(String.init)
    .filter { !$0.hasPrefix("#") }

  static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
    }
  }

  /// A file of `Tests/HTTPie`.
  static func text(_ name: String) -> String {
    let descriptor = open(Binaries.tests + "/HTTPie/" + name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
