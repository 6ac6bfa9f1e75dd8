import LullArguments
import LullCore
import LullHost
import LullLibC
import LullLuaSource
import LullSystem

extension REPL {
  /// Runs a directive. Returns `false` if the directive failed.
  func obey(_ directive: Directive) -> Bool {
    guard let name = Directive.Name(rawValue: directive.name),
      isInteractive || !name.isForPeople
    else {
      let known = Directive.Name.allCases.filter { isInteractive || !$0.isForPeople }
      let near = NearestName.suggestion(for: directive.name, among: known.map(\.rawValue))
      return refuse(
        "unknown command '.\(directive.name)'\(near.map { " (did you mean '.\($0)'?)" } ?? ""); "
          + ".help lists the commands")
    }
    switch name {
    case .edit: return edit(directive.argumentBytes)
    case .help:
      if !directive.argument.isEmpty {
        guard let question = Question(directive.argument + "?") else {
          return refuse(
            ".help takes a name, such as .help api.load; .help alone lists the commands")
        }
        return explain(question.name)
      }
      StandardOutput.write(Directive.usage(forPeople: isInteractive))
      return true
    case .load: return load(directive.argumentBytes)
    case .log: return log(directive.argument)
    case .record: return record(directive.argument)
    case .reload: return reload()
    case .resources:
      listResources(directive.argument)
      return true
    case .save: return save(directive.argumentBytes)
    case .stop: return stopRecording()
    case .test: return writeTest()
    case .time: return time(directive.argument)
    case .trace: return showTrace()
    }
  }

  func refuse(_ problem: String) -> Bool {
    complain("lull: \(problem)\n")
    return false
  }

  private func load(_ bytes: [UInt8]) -> Bool {
    let path = String(escaping: bytes)
    guard !path.isEmpty else { return refuse("the file is missing: .load FILE") }
    // In the sandbox, `.load` could otherwise read any file and show lines of the file in error
    // messages.
    guard !isSandboxed || files.contains(path) else {
      return refuse(".load is not available in the sandbox: name files on the command line")
    }
    do throws(SourceFile.Unreadable) {
      let text = try SourceFile.read(bytes)
      paths[path] = bytes
      return load(SourceText.withoutFirstLineMarks(text), name: path)
    } catch {
      return refuse("cannot read '\(path)': \(error.reason)")
    }
  }

  /// Runs all files of the session again. Modules that were loaded since the start of the session
  /// are loaded again too.
  private func reload() -> Bool {
    guard !files.isEmpty else { return refuse("no file has been loaded") }
    for name in session.loadedModules where !oldModules.contains(name) {
      session.forget(module: name)
    }
    var isDone = true
    for file in files {
      StandardOutput.write("\(file)\n")
      if !load(paths[file] ?? Array(file.utf8)) { isDone = false }
    }
    return isDone
  }

  private func log(_ categories: String) -> Bool {
    if !categories.isEmpty, let problem = log.set(categories) { return refuse(problem) }
    let logged = log.enabled
    StandardOutput.write(
      logged.isEmpty ? "nothing is logged\n" : logged.joined(separator: " ") + "\n")
    return true
  }

  private func listResources(_ pattern: String) {
    let lines = ResourceLine.all(in: handles, matching: pattern.isEmpty ? nil : pattern)
    guard !lines.isEmpty else {
      let suffix = pattern.isEmpty ? "" : " that match the pattern"
      return StandardOutput.write("no resources\(suffix) are in memory\n")
    }
    let services = Set(lines.map(\.service))
    let heads =
      (services.count > 1 ? ["service"] : []) + [
        "resource", "state", "age", "size", "observers",
      ]
    let rows = lines.map { line in
      (services.count > 1 ? [line.service] : []) + [
        line.path, line.state, line.age, line.size, String(line.observers),
      ]
    }
    let layout = layout
    StandardOutput.write(
      ShownTable(heads: heads, rows: rows, width: layout.width).text(layout) + "\n")
  }

  private func time(_ expression: String) -> Bool {
    switch read(Array(expression.utf8), firstLine: lineCount) {
    case .ready(let line):
      let start = REPL.now
      let isDone = evaluate(line)
      let seconds = REPL.now - start
      if isDone { StandardOutput.write("\(REPL.text(seconds))\n") }
      return isDone
    case .incomplete(let report), .failed(let report):
      complain(report)
      return false
    }
  }

  private static var now: Double { SystemClock.uptime }

  /// Returns a duration as text with three digits and a unit.
  static func text(_ seconds: Double) -> String {
    let (value, unit) =
      switch seconds {
      case ..<1e-3: (seconds * 1e6, "µs")
      case ..<1: (seconds * 1e3, "ms")
      default: (seconds, "s")
      }
    let factor = value < 10 ? 100.0 : value < 100 ? 10.0 : 1.0
    let rounded = (value * factor).rounded() / factor
    return (factor == 1 ? String(Int(rounded)) : String(rounded)) + " " + unit
  }
}

/// A command to the session itself, such as `.load FILE`.
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

    /// Whether the directive is available only on a terminal.
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
      case .edit:
        "edit the last input, or one by its number in Out or by its beginning, and run it if saved"
      case .help: "list the commands, or describe a name, like NAME?"
      case .load: "run a file; its top-level locals become variables"
      case .log:
        "log these categories, or common, detailed, all, off; alone, show the logged categories"
      case .record: "record network traffic for tests/cassettes/NAME.har"
      case .reload: "run the files loaded so far again, with the modules they require"
      case .resources: "list the resources in memory: state, age, size, observers"
      case .save: "write the statements that succeeded to a new file"
      case .stop: "end the recording and write it to the file, without secrets, tokens and cookies"
      case .test: "like .stop, and write a test of the recorded input: tests/NAME_test.lua"
      case .trace: "show the result of each pipeline step for the last response"
      case .time: "run a line and show how long it took"
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

      Lua: the value of an expression is printed, and _ is the last value. help() describes Lull.
      At a terminal, Out[1] is the first value. A request is awaited: _ is its data, and
      Out[1].request is the request. NAME? describes a name.
      Keys: Tab completes, Ctrl-R searches the history, Ctrl-C stops or discards a line,
      Ctrl-D discards an unfinished statement, or ends the session, like exit.

      """
  }

  /// The name of the directive as the user typed it, without the dot.
  let name: String
  let argument: String
  /// The argument as bytes, which need not be valid UTF-8.
  let argumentBytes: [UInt8]

  /// Parses a line. Returns `nil` if the line is Lua, such as `.5`.
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
    // Everything before the argument is valid UTF-8, so the length of that text in bytes is known.
    let blanks: [UInt8] = [9, 10, 11, 12, 13, 32]
    let start = bytes.drop { blanks.contains($0) }.dropFirst(1 + word.utf8.count)
      .drop { blanks.contains($0) }
    let end = start.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? start.startIndex
    argumentBytes = Array(start[..<end])
  }
}

/// Registers the REPL. The bridge calls this function before it looks up `lull.repl`, because the
/// bridge does not depend on this module.
@c(lull_repl_register)
public func registerREPL() {
  REPL.register()
}
