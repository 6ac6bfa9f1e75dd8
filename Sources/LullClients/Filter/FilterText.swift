import LullCore
import LullHost
import LullLuaSource

/// The expression of `-f`. It is either the text itself, or `@FILE`: a file with an expression, or
/// with statements that end with `return`.
package struct FilterText {
  package let text: String
  /// The name of the expression in messages.
  let name: String
  package let isFile: Bool

  package init(_ text: String) {
    self.init(text, name: ContentFilter.expressionName, isFile: false)
  }

  private init(_ text: String, name: String, isFile: Bool) {
    self.text = text
    self.name = name
    self.isFile = isFile
  }

  /// The error message if the option does not contain an expression.
  package struct Problem: Error {
    package let message: String
  }

  /// - Parameter word: The argument of `-f` on the command line.
  package init(word: String) throws(Problem) {
    guard word.hasPrefix("@") else {
      guard word.contains(where: { !$0.isWhitespace }) else {
        throw Problem(message: "-f needs an expression, such as x.name")
      }
      self.init(word)
      return
    }
    let path = String(word.dropFirst())
    guard !path.isEmpty else {
      throw Problem(message: "-f @ needs a file name, such as -f @top.lua")
    }
    var bytes: [UInt8]
    switch TextFile.read(Array(path.utf8), limit: FilterText.largest) {
    case .success(let read): bytes = read
    case .failure(let problem):
      throw Problem(message: "-f: cannot read \(String(escaping: problem.message))")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard bytes.first != 0x1B, let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(message: "-f: \(path) is not Lua in UTF-8")
    }
    // Remove a first line that begins with `#`. Its line break is kept, so that line numbers match
    // the file.
    let lua = text.hasPrefix("#") ? text.drop { !$0.isNewline } : text[...]
    guard lua.contains(where: { !$0.isWhitespace }) else {
      throw Problem(message: "-f: \(path) is empty: it needs an expression, such as x.name")
    }
    self.init(String(lua), name: FilterText.shortened(path), isFile: true)
  }

  private static let largest = 1 << 20
  /// The maximum length of a chunk name that the interpreter shows. (LUA_IDSIZE)
  private static let longestName = 59

  private static func shortened(_ path: String) -> String {
    guard path.utf8.count > longestName else { return path }
    var end = path.suffix(longestName - 3)
    while end.utf8.count > longestName - 3 { end.removeFirst() }
    return "..." + end
  }

  /// Warnings about likely mistakes, one per line: comparisons with numbers that do not fit into 64
  /// bits. (JSN-34)
  package var warnings: [String] {
    LargeComparisons(Array(text.utf8)).findings.map { line, finding in
      "warning: \(name):\(line): \(finding)"
    }
  }

  /// Whether the text contains a `return` statement.
  var hasReturn: Bool { LuaToken.all(in: text.utf8).contains { $0.isKeyword("return") } }
}
