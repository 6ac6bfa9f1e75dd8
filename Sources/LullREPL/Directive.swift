/// A command of the session itself: `.load FILE`.
struct Directive: Equatable {
  enum Name: String, CaseIterable {
    case edit
    case help
    case load
    case log
    case record
    case reload
    case resources
    case save
    case stop
    case test
    case time
    case trace

    /// Whether it is there only for somebody who sits at a terminal.
    var isForPeople: Bool { self == .edit || self == .save || self == .trace }

    var usage: String {
      switch self {
      case .edit: ".edit [NUMBER]"
      case .help: ".help [NAME]"
      case .load: ".load FILE"
      case .log: ".log [CATEGORIES]"
      case .record: ".record NAME"
      case .reload: ".reload"
      case .resources: ".resources [PATTERN]"
      case .save: ".save FILE"
      case .stop: ".stop"
      case .test: ".test"
      case .time: ".time EXPR"
      case .trace: ".trace"
      }
    }

    var summary: String {
      switch self {
      case .edit: "edit what was typed last, or gave Out[NUMBER], or begins so; run what is saved"
      case .help: "this list, or what a name stands for, as NAME? does"
      case .load: "run a file; its top-level locals become variables"
      case .log: "log these categories, or common, detailed, all, off; without any, say which"
      case .record: "record what goes over the network, for tests/cassettes/NAME.har"
      case .reload: "run the files loaded so far again, with the modules they require"
      case .resources: "the resources in memory: state, age, size, observers"
      case .save: "write what was typed and has succeeded into a new file"
      case .stop: "write what was recorded, without secrets, tokens and cookies"
      case .test: "the same, and a test of what was typed meanwhile: tests/NAME_test.lua"
      case .trace: "what each step of the pipeline made of the last answer"
      case .time: "run a line and say how long it took"
      }
    }
  }

  static let names = Name.allCases.map(\.rawValue)

  static func usage(forPeople: Bool) -> String {
    let names = Name.allCases.filter { forPeople || !$0.isForPeople }
    let width = names.map(\.usage.count).max() ?? 0
    let lines = names.map { name in
      "  " + name.usage + String(repeating: " ", count: width + 2 - name.usage.count) + name.summary
    }
    return """
      \(lines.joined(separator: "\n"))

      Lua: an expression prints what it gives, and _ is the last value. help() tells about Lull.
      At a terminal Out[1] is the first one, and a request is waited for: _ is its data, and
      Out[1].request the request. NAME? tells what a name stands for.
      Keys: Tab completes, Ctrl-R searches what was typed before, Ctrl-C stops a line or leaves it,
      Ctrl-D leaves a statement that goes on, else the session, as exit does.

      """
  }

  /// As it was typed, without the dot.
  let name: String
  let argument: String
  /// As bytes, which need not be UTF-8.
  let argumentBytes: [UInt8]

  /// Nil if the line is Lua: also `.5` is.
  init?(_ line: String) { self.init(Array(line.utf8)) }

  init?(_ bytes: [UInt8]) {
    let line = String(decoding: bytes, as: UTF8.self)
    let text = line.drop { $0 == " " || $0 == "\t" }
    guard text.first == ".", let second = text.dropFirst().first, second.isLetter else {
      return nil
    }
    let word = text.dropFirst().prefix { !$0.isWhitespace }
    name = String(word)
    var rest = text.dropFirst(1 + word.count).drop { $0.isWhitespace }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    argument = String(rest)
    // What stands before it is text.
    let blanks: [UInt8] = [9, 10, 11, 12, 13, 32]
    let start = bytes.drop { blanks.contains($0) }.dropFirst(1 + word.utf8.count)
      .drop { blanks.contains($0) }
    let end = start.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? start.startIndex
    argumentBytes = Array(start[..<end])
  }
}
