import LullLibC
import LullSystem
import LullTransport

/// A file of variables, with one `NAME=text` per line. No user but the owner of the file may be
/// able to read it.
///
/// A text without quotes ends at a `#` after a space or tab, and surrounding spaces and tabs are
/// removed. Text in single quotes is literal. In double quotes, `\n`, `\r`, `\t`, `\"`, `\\` and
/// `\$` are escapes. Variables are not expanded. Empty lines, lines that begin with `#`, and
/// `export` before a name are ignored.
package struct VariablesFile {
  package struct Problem: Error, Equatable {
    /// The error message. It contains no part of the variables' texts.
    package let message: String

    package init(message: String) {
      self.message = message
    }
  }

  private(set) package var texts: [String: String] = [:]

  /// Reads a file. This blocks, which is acceptable because the file is small and is read before
  /// its script runs.
  package static func read(_ path: String) throws(Problem) -> VariablesFile {
    // The file is opened without blocking, because opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Problem(message: "the file \(path) cannot be read (\(ErrorText.of(errno)))")
    }
    defer { close(descriptor) }
    guard let file = FileOwnership(descriptor), file.isRegular else {
      throw Problem(message: "\(path) is not a regular file")
    }
    guard file.isPrivate else {
      throw Problem(
        message: "the file \(path) can be read by other users, and is not used: run chmod 600 on "
          + "it, and replace its contents if others may have read it")
    }
    guard file.isOwn else {
      throw Problem(message: "the file \(path) belongs to another user, and is not used")
    }
    guard let bytes = SecretFile.content(of: descriptor) else {
      throw Problem(message: "the file \(path) cannot be read completely, or is larger than 64 KB")
    }
    return try VariablesFile(bytes, path)
  }

  /// Parses the bytes of a file.
  ///
  /// - Parameter path: the path of the file in error messages.
  package init(_ bytes: [UInt8], _ path: String) throws(Problem) {
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      do throws(Problem) {
        try read(line)
      } catch {
        throw Problem(message: "\(path):\(number + 1): \(error.message)")
      }
    }
  }

  private mutating func read(_ bytes: ArraySlice<UInt8>) throws(Problem) {
    guard let line = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw Problem(message: "the line is not UTF-8")
    }
    var rest = VariablesFile.trimmed(line[...])
    guard !rest.isEmpty, !rest.hasPrefix("#") else { return }
    if rest.hasPrefix("export "), let name = rest.dropFirst(7).first(where: { $0 != " " }),
      name != "="
    {
      rest = VariablesFile.trimmed(rest.dropFirst(7))
    }
    guard let end = rest.firstIndex(of: "=") else {
      throw Problem(message: "expected NAME=text, found a line without '='")
    }
    let name = VariablesFile.trimmed(rest[..<end])
    guard VariablesFile.isName(name) else {
      throw Problem(message: "expected a name of letters, digits and '_' before '='")
    }
    let text = try VariablesFile.text(rest[rest.index(after: end)...])
    guard texts.updateValue(text, forKey: String(name)) == nil else {
      throw Problem(message: "'\(name)' is set twice")
    }
  }

  private static func text(_ rest: Substring) throws(Problem) -> String {
    let word = trimmed(rest)
    guard let quote = word.first, quote == "'" || quote == "\"" else {
      let comment = rest.indices.first { index in
        rest[index] == "#" && index > rest.startIndex
          && rest[rest.index(before: index)].isWhitespace
      }
      return String(trimmed(comment.map { rest[..<$0] } ?? rest))
    }
    var text = ""
    var isEscaped = false
    for index in word.indices.dropFirst() {
      let character = word[index]
      if isEscaped {
        guard let meant = escapes[character] else {
          throw Problem(message: "a backslash begins an unknown escape")
        }
        text.append(meant)
        isEscaped = false
      } else if character == quote {
        let behind = trimmed(word[word.index(after: index)...])
        guard behind.isEmpty || behind.hasPrefix("#") else {
          throw Problem(message: "there is text after the closing quote")
        }
        return text
      } else if character == "\\", quote == "\"" {
        isEscaped = true
      } else {
        text.append(character)
      }
    }
    throw Problem(message: "a quote is not closed on its line")
  }

  private static let escapes: [Character: Character] = [
    "n": "\n", "r": "\r", "t": "\t", "\"": "\"", "\\": "\\", "$": "$",
  ]

  private static func isName(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
