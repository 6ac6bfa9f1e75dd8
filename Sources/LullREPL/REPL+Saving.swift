import LullLibC
import LullCore
import LullHost
import LullSystem

extension REPL {
  /// Writes what was typed and has succeeded into a new file, as a script: values of lines go to `_`.
  func save(_ path: [UInt8]) -> Bool {
    guard !path.isEmpty else { return refuse("a file is missing: .save FILE") }
    guard !isSandboxed else { return refuse(".save is not available in the sandbox") }
    let inputs = inputs.succeeded
    guard !inputs.isEmpty else { return refuse("nothing has been typed yet that could be saved") }
    let name = String(escaping: path)
    let file = open(FileName.cString(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      guard errno == EEXIST else { return refuse("cannot write '\(name)': \(ErrorText.of(errno))") }
      return refuse("'\(name)' is there already: name another file, or remove it first")
    }
    defer { LullLibC.close(file) }
    if let code = DescriptorWriting.put(script(of: inputs), into: file) {
      unlink(FileName.cString(path))
      return refuse("cannot write '\(name)': \(ErrorText.of(code))")
    }
    let count = inputs.count
    StandardOutput.write("\(count) \(count == 1 ? "statement" : "statements") in \(name)\n")
    return true
  }

  private func script(of inputs: [TypedInput]) -> [UInt8] {
    var script: [UInt8] = []
    for input in inputs {
      let text = session.statement(of: input.text, hasValue: input.number > 0)
      // Else it would be an argument of the statement before it.
      if text.first(where: { $0 != 32 && $0 != 9 }) == UInt8(ascii: "(") {
        script.append(UInt8(ascii: ";"))
      }
      script += text + [10]
    }
    return script
  }
}
