import LullLibC
import LullCore
import LullHost
import LullSystem

extension REPL {
  /// Writes what was typed and has succeeded into a new file, as a script: values of lines go to `_`.
  func save(_ path: [UInt8]) -> Bool {
    guard !path.isEmpty else { return refuse("a file is missing: .save FILE") }
    guard !isSandboxed else { return refuse(".save is not available in the sandbox") }
    let saved = savedInputs
    guard saved.contains(where: { $0.file == nil }) else {
      return refuse("nothing has been typed yet that could be saved")
    }
    guard let script = script(of: saved) else { return false }
    let name = String(escaping: path)
    let file = open(FileName.cString(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      guard errno == EEXIST else { return refuse("cannot write '\(name)': \(ErrorText.of(errno))") }
      return refuse("'\(name)' is there already: name another file, or remove it first")
    }
    defer { LullLibC.close(file) }
    if let code = DescriptorWriting.put(script, into: file) {
      unlink(FileName.cString(path))
      return refuse("cannot write '\(name)': \(ErrorText.of(code))")
    }
    let count = saved.count { $0.file == nil && $0.hasSucceeded }
    StandardOutput.write("\(count) \(count == 1 ? "statement" : "statements") in \(name)\n")
    return true
  }

  /// What has succeeded, and requests that have failed where results are referred to.
  private var savedInputs: [TypedInput] {
    let done = inputs.all.filter(\.hasSucceeded)
    guard done.contains(where: { SessionScript.refersToResults($0.text) }) else { return done }
    return inputs.all.filter { $0.hasSucceeded || $0.isAwaited && $0.number > 0 }
  }

  /// Nil if nothing that compiles can be made of them, which has been said.
  private func script(of inputs: [TypedInput]) -> [UInt8]? {
    let script = SessionScript(
      inputs.map { input in
        let expression =
          input.file == nil ? session.expression(of: input.text, hasValue: input.hasValue) : nil
        return SessionScript.Statement(text: input.text, expression: expression, input: input)
      })
    if !script.needsHoisting, session.problem(of: script.plain) == nil { return script.plain }
    let hoisted = script.hoisted
    guard let problem = session.problem(of: hoisted) else { return hoisted }
    _ = refuse("what was typed makes no script: \(problem)")
    return nil
  }
}
