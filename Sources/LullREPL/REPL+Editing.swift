import LullLibC
import LullCore
import LullHost
import LullSystem

extension REPL {
  /// Opens an editor with the earlier input that `name` identifies, and runs the text that the user
  /// saves. Runs nothing if the text is empty or was not saved. The session is paused while the
  /// editor runs.
  func edit(_ name: [UInt8]) -> Bool {
    guard !isSandboxed else { return refuse(".edit is not available in the sandbox") }
    let input = inputs.named(name)
    guard input != nil || name.isEmpty else {
      return refuse(
        "no input begins with '\(String(escaping: name))' or has that number: "
          + "write .edit, .edit NUMBER or .edit BEGINNING")
    }
    var path = FileName.cString(Array("\(TemporaryFolder.place)/lull-XXXXXX.lua".utf8))
    let file = mkstemps(&path, 4)
    guard file >= 0 else { return refuse("cannot create a file to edit: \(ErrorText.of(errno))") }
    defer { unlink(path) }
    let problem = DescriptorWriting.put(input.map { $0.text + [10] } ?? [], into: file)
    LullLibC.close(file)
    if let problem { return refuse("cannot write a file to edit: \(ErrorText.of(problem))") }
    return edit(file: Array(path.map { UInt8(bitPattern: $0) }.dropLast()))
  }

  private func edit(file: [UInt8]) -> Bool {
    let before = FileStamp.of(file)
    let editor = ["VISUAL", "EDITOR"].lazy.compactMap { (name: String) in
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }.first
    guard let code = run(editor ?? "vi", on: file) else { return false }
    guard code == 0 else {
      let hint = code == 127 ? ": set VISUAL or EDITOR to an installed editor" : ""
      return refuse("the editor exited with \(code)\(hint); nothing is run")
    }
    let text: [UInt8]
    do throws(SourceFile.Unreadable) {
      guard FileStamp.of(file) != before else {
        StandardOutput.write("nothing was saved, so nothing is run\n")
        return true
      }
      text = try SourceFile.read(file)
    } catch {
      return refuse("cannot read the edited file: \(error.reason)")
    }
    var end = text.count
    while end > 0, [9, 10, 13, 32].contains(text[end - 1]) { end -= 1 }
    guard end > 0 else {
      StandardOutput.write("the saved file is empty, so nothing is run\n")
      return true
    }
    let statement = Array(text[..<end])
    StandardOutput.write(statement + [10])
    return enter(edited: statement)
  }

  /// Runs the editor, and returns its exit code. Returns `nil` if the editor could not be started.
  /// While the editor runs, only the editor handles Ctrl-C. (POSIX, system())
  private func run(_ editor: String, on file: [UInt8]) -> Int32? {
    var previous = sigaction()
    var ignoring = sigaction()
    ignoring.__sigaction_handler.sa_handler = SIG_IGN
    do throws(ChildProcess.Failure) {
      let process = try ChildProcess.start(
        [
          // The shell must not end at Ctrl-C, because the editor may use that key.
          "/bin/sh", "-c", "trap : INT; \(editor) \"$1\"", "sh",
          String(decoding: file, as: UTF8.self),
        ], leadsGroup: false)
      sigaction(SIGINT, &ignoring, &previous)
      defer { sigaction(SIGINT, &previous, nil) }
      return ChildProcess.wait(for: process)
    } catch {
      _ = refuse("cannot start an editor: \(ErrorText.of(error.code))")
      return nil
    }
  }
}
