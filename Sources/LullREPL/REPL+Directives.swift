import LullLibC
import LullArguments
import LullCore
import LullHost
import LullSystem

extension REPL {
  /// False if it could not be done.
  func obey(_ directive: Directive) -> Bool {
    guard let name = Directive.Name(rawValue: directive.name),
      isInteractive || !name.isForPeople
    else {
      let known = Directive.Name.allCases.filter { isInteractive || !$0.isForPeople }
      let near = NearestName.suggestion(for: directive.name, among: known.map(\.rawValue))
      return refuse(
        "unknown command '.\(directive.name)'\(near.map { " (did you mean '.\($0)'?)" } ?? ""); "
          + ".help lists what there is")
    }
    switch name {
    case .edit: return edit(directive.argumentBytes)
    case .help:
      if !directive.argument.isEmpty {
        guard let question = Question(directive.argument + "?") else {
          return refuse(".help takes a name, such as .help api.load; without one it lists commands")
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
    guard !path.isEmpty else { return refuse("a file is missing: .load FILE") }
    // It would read, and report the lines of, any file.
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

  /// Runs the files again. What they require is loaded anew: modules that came since the beginning.
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
      let suffix = pattern.isEmpty ? "" : " of that name"
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

  /// Three digits and a unit.
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
