/// A command of the session itself: `.load FILE`.
struct Directive: Equatable {
  enum Name: String, CaseIterable {
    case help
    case load
    case log
    case reload
    case resources
    case time

    var usage: String {
      switch self {
      case .help: ".help [NAME]"
      case .load: ".load FILE"
      case .log: ".log [CATEGORIES]"
      case .reload: ".reload"
      case .resources: ".resources [PATTERN]"
      case .time: ".time EXPR"
      }
    }

    var summary: String {
      switch self {
      case .help: "this list, or what a name stands for, as NAME? does"
      case .load: "run a file; its top-level locals become variables"
      case .log: "log these categories, or common, detailed, all, off; without any, say which"
      case .reload: "run the files loaded so far again, with the modules they require"
      case .resources: "the resources in memory: state, age, size, observers"
      case .time: "run a line and say how long it took"
      }
    }
  }

  static let names = Name.allCases.map(\.rawValue)

  static var usage: String {
    let width = Name.allCases.map(\.usage.count).max() ?? 0
    let lines = Name.allCases.map { name in
      "  " + name.usage + String(repeating: " ", count: width + 2 - name.usage.count) + name.summary
    }
    return """
      \(lines.joined(separator: "\n"))

      Lua: an expression prints what it gives, and _ is the last value. help() tells about Lull.
      At a terminal Out[1] is the first one, and a request is waited for. NAME? tells what it is.
      Keys: Tab completes, Ctrl-R searches what was typed before, Ctrl-C stops a line or leaves it,
      Ctrl-D leaves a statement that goes on, else the session.

      """
  }

  /// As it was typed, without the dot.
  let name: String
  let argument: String

  /// Nil if the line is Lua: also `.5` is.
  init?(_ line: String) {
    let text = line.drop { $0 == " " || $0 == "\t" }
    guard text.first == ".", let second = text.dropFirst().first, second.isLetter else {
      return nil
    }
    let word = text.dropFirst().prefix { !$0.isWhitespace }
    name = String(word)
    var rest = text.dropFirst(1 + word.count).drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    argument = String(rest)
  }
}
