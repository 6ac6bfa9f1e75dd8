import LullLibC
import LullCore
import Testing

@testable import LullTransport

extension TransportSuite {
  @Suite struct SecretSourceTests {
    let directory: TemporaryDirectory

    init() throws {
      directory = try #require(TemporaryDirectory())
    }

    private func text(_ result: Result<[UInt8], SecretProblem>) -> String {
      switch result {
      case .success(let bytes): String(decoding: bytes, as: UTF8.self)
      case .failure(let problem): "failed: " + problem.text
      }
    }

    private func output(_ command: String) -> String? {
      ChildProcess("(\(command)) >'\(directory.path)/output'")?.wait()
      return contents(directory.path + "/output").map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
      ("abc", "abc"), ("abc\n", "abc"), ("abc\r\n", "abc"), ("abc\n\n", "abc\n"),
      (" a b ", " a b "),
      ("abc\r", "abc\r"),
    ])
    func `of a file one line break at the end does not count`(_ content: String, _ expected: String)
    {
      directory.write("key", content.utf8)
      #expect(text(SecretFile.read(directory.path + "/key")) == expected)
      directory.remove()
    }

    @Test func `a file that is none says so`() {
      directory.write("empty", "\n".utf8)
      directory.write("large", [UInt8](repeating: 65, count: 65537))
      mkfifo(directory.path + "/pipe", 0o600)
      #expect(text(SecretFile.read(directory.path + "/empty")).hasSuffix("is empty"))
      #expect(text(SecretFile.read(directory.path + "/large")).contains("larger than 64 KB"))
      #expect(text(SecretFile.read(directory.path + "/pipe")).hasSuffix("is not a regular file"))
      #expect(text(SecretFile.read(directory.path)).contains("is not a regular file"))
      #expect(text(SecretFile.read("/nowhere")).contains("No such file"))
      directory.remove()
    }

    @Test func `a command gets its words and nothing to read`() {
      let command = SecretCommand([
        "/bin/sh", "-c", "cat; printf '%s|' \"$@\"", "sh", "a b", "$HOME",
      ])
      #expect(text(command.run()) == "a b|$HOME|")
      directory.remove()
    }

    @Test func `a command that takes too long is ended with all that it has started`() throws {
      let file = directory.path + "/started"
      var started: pid_t?
      // On a busy machine the shell may not have come so far in the first of these times.
      for limit in [0.2, 2, 20] where started == nil {
        let command = SecretCommand(
          ["/bin/sh", "-c", "sleep 1000 | sleep 1000 & echo $! >\(file); wait"], timeLimit: limit)
        #expect(text(command.run()).contains("did not finish its output"))
        started = contents(file).flatMap { pid_t(String(decoding: $0.dropLast(), as: UTF8.self)) }
      }
      let process = try #require(started)
      for _ in 0..<3000 where isRunning(process) { usleep(10_000) }
      #expect(!isRunning(process))
      directory.remove()
    }

    /// What has ended stays in the table until its parent, which may be anybody's by now, looks.
    private func isRunning(_ process: pid_t) -> Bool {
      guard kill(process, 0) == 0, let status = contents("/proc/\(process)/stat") else {
        return false
      }
      // `PID (NAME) STATE …`
      let fields = String(decoding: status, as: UTF8.self).split(separator: ") ")
      return fields.last?.hasPrefix("Z") == false
    }

    @Test func `a command that prints too much is ended and says so`() {
      let command = SecretCommand(["/bin/sh", "-c", "yes"])
      #expect(text(command.run()) == "failed: the command 'yes' printed more than 64 KB")
      directory.remove()
    }

    @Test func `a cancelled command does not start`() {
      let marker = directory.path + "/started"
      let command = SecretCommand(["/bin/sh", "-c", "echo >\(marker)"])
      command.cancel()
      #expect(text(command.run()).contains("cannot be run"))
      #expect(contents(marker) == nil)
      directory.remove()
    }

    @Test func `what a command prints is not in its failure`() {
      let command = SecretCommand(["/bin/sh", "-c", "printf hunter2; exit 4"])
      // The line is what the user wrote; what it gave is not told.
      let inner = SecretCommand(["/bin/sh", "\(directory.path)/script"])
      directory.write("script", "printf hunter2; exit 4".utf8)
      #expect(text(inner.run()).contains("code 4"))
      #expect(!text(inner.run()).contains("hunter2"))
      #expect(text(command.run()).contains("code 4"))
      directory.remove()
    }

    // MARK: Token files

    @Test func `a token file is for its owner alone`() throws {
      let file = TokenFile(directory.path + "/a/b/tokens.json")
      let nothing = try file.read()
      #expect(nothing == nil)
      try file.write(["token": "t1"])
      var status = stat()
      #expect(stat(file.path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      #expect(stat(directory.path + "/a/b", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700)
      try file.write(["token": "t2"])
      let kept = try file.read()
      #expect(kept?.root["token"]?.string == "t2")
      // Nothing is left beside it.
      #expect(output("ls -A '\(directory.path)/a/b'") == "tokens.json\n")
      directory.remove()
    }

    @Test func `a token file that others may read is not used`() throws {
      let file = TokenFile(directory.path + "/tokens.json")
      try file.write(["token": "t"])
      for mode: mode_t in [0o640, 0o604, 0o660, 0o644] {
        chmod(file.path, mode)
        let error = #expect(throws: TokenFile.Problem.self) { try file.read() }
        #expect(error?.message.contains("can be read by other users") == true)
      }
      chmod(file.path, 0o600)
      let kept = try file.read()
      #expect(kept != nil)
      symlink(file.path, directory.path + "/link")
      #expect(throws: TokenFile.Problem.self) { try TokenFile(directory.path + "/link").read() }
      directory.write("bad.json", "hunter2".utf8)
      chmod(directory.path + "/bad.json", 0o600)
      let error = #expect(throws: TokenFile.Problem.self) {
        try TokenFile(directory.path + "/bad.json").read()
      }
      #expect(error?.message.contains("hunter2") == false)
      directory.remove()
    }

    @Test func `a token file is locked against other processes`() throws {
      let file = TokenFile(directory.path + "/tokens.json")
      let lock = directory.path + "/tokens.json.lock"
      let isFree = "flock -n '\(lock)' true && echo free || echo taken"
      try file.locked { () throws(TokenFile.Problem) in
        #expect(output(isFree) == "taken\n")
        #expect(throws: TokenFile.Problem.self) {
          try file.locked(waiting: 0.05) { () throws(TokenFile.Problem) in }
        }
      }
      #expect(output(isFree) == "free\n")
      directory.remove()
    }

    @Test func `the lock of a token file is not waited for once that is stopped`() throws {
      let file = TokenFile(directory.path + "/tokens.json")
      let lock = try file.lock()
      var looks = 0
      let error = #expect(throws: TokenFile.Problem.self) {
        try file.lock(unless: {
          looks += 1
          return looks == 3
        })
      }
      #expect(error?.message == "the token file \(file.path) is locked by another process")
      #expect(looks == 3)
      lock.release()
      directory.remove()
    }
  }
}
