import Glibc
import LullHost

extension REPL {
  func obey(_ directive: Directive) {
    guard let name = Directive.Name(rawValue: directive.name) else {
      complain("lull: unknown command '.\(directive.name)'; .help lists what there is\n")
      return
    }
    switch name {
    case .help: StandardOutput.write(Directive.usage)
    case .load: load(directive.argument)
    case .log: log(directive.argument)
    case .reload: reload()
    case .resources: listResources(directive.argument)
    case .time: time(directive.argument)
    }
  }

  private func load(_ path: String) {
    guard !path.isEmpty else { return complain("lull: a file is missing: .load FILE\n") }
    do throws(SourceFile.Unreadable) {
      let bytes = try SourceFile.read(Array(path.utf8))
      load(SourceFile.withoutFirstLineMarks(bytes), name: path)
    } catch {
      complain("lull: cannot read '\(path)': \(error.reason)\n")
    }
  }

  /// Runs the files again. What they require is loaded anew: modules that came since the beginning.
  private func reload() {
    guard !files.isEmpty else { return complain("lull: no file has been loaded\n") }
    for name in session.loadedModules where !oldModules.contains(name) {
      session.forget(module: name)
    }
    for file in files {
      StandardOutput.write("\(file)\n")
      load(file)
    }
  }

  private func log(_ categories: String) {
    if !categories.isEmpty, let problem = host.setLog(categories) {
      return complain("lull: \(problem)\n")
    }
    let logged = host.loggedCategories
    StandardOutput.write(
      logged.isEmpty ? "nothing is logged\n" : logged.joined(separator: " ") + "\n")
  }

  private func listResources(_ pattern: String) {
    let lines = host.resourceLines(matching: pattern.isEmpty ? nil : pattern)
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

  private func time(_ expression: String) {
    switch read(Array(expression.utf8), firstLine: lineCount) {
    case .ready(let line):
      let start = REPL.now
      let isDone = evaluate(line)
      let seconds = REPL.now - start
      if isDone { StandardOutput.write("\(REPL.text(seconds))\n") }
    case .incomplete(let message), .failed(let message): complain("lull: \(message)\n")
    }
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

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
