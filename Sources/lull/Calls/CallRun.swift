import LullLibC
import LullClients
import LullCore
import LullHost
import LullREPL
import LullTransport

/// Loads an API for a command.
enum CallRun {
  /// Loads the API in its own Lua state and calls `body` with it. Returns the exit code.
  static func run(
    _ target: CallTarget.API, _ body: (LuaHost, APIFile) throws(APIFileProblem) -> Int32
  ) -> Int32 {
    var folder: [UInt8]?
    if case .file(let word) = target, let path = APIFileLocator.file(of: word) {
      folder = SourceFile.folder(of: Array(path.utf8))
    }
    return run(folder: folder) { host in
      let files = host.part(APIFiles.self)
      do throws(APIFileProblem) {
        switch target {
        case .file(let word): return try body(host, try files.api(word))
        case .origin(let url): return try body(host, try files.api(atURL: url))
        }
      } catch {
        let kind = error.exitCode == 1 ? "script_error" : "file"
        Exit.fail(files.describe(error), FailureFacts(kind))
        return error.exitCode
      }
    }
  }

  /// Runs code without a sandbox. Without a script folder, Lua starts on first use.
  static func run(folder: [UInt8]?, _ body: (LuaHost) -> Int32) -> Int32 {
    run(
      .full(allowsBytecode: false), folder: folder, nil, .init(), startsLua: folder != nil, body)
  }

  /// Inspects a file in the sandbox, without network access. `body` must not write its results,
  /// because the inspection may be ended while `body` runs.
  static func inspect(
    in folder: [UInt8], _ inspection: Inspection, limits: ScriptLimits = Inspection.limits,
    _ body: (LuaHost) -> Int32
  ) -> Int32 {
    withoutStandardOutput {
      run(.inspection(folder: folder, inspection), folder: folder, AllowedHosts(), limits, body)
    }
  }

  /// Inspects a trusted file without a sandbox, but without network access. The file sees empty
  /// standard input.
  static func inspect(
    in folder: [UInt8], through gate: LoadGate, limits: ScriptLimits = Inspection.limits,
    _ body: (LuaHost) -> Int32
  ) -> Int32 {
    withoutStandardInput {
      withoutStandardOutput {
        run(.gated(gate), folder: folder, AllowedHosts(), limits, body)
      }
    }
  }

  private static func withoutStandardInput(_ body: () -> Int32) -> Int32 {
    let kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard kept >= 0, nothing >= 0, dup2(nothing, STDIN_FILENO) >= 0 else { return body() }
    defer {
      dup2(kept, STDIN_FILENO)
      close(nothing)
      close(kept)
    }
    return body()
  }

  /// Runs `body` with standard output redirected to standard error, because output of an inspected
  /// file is not a result.
  private static func withoutStandardOutput(_ body: () -> Int32) -> Int32 {
    fflush(nil)
    let kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard kept >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return body() }
    defer {
      fflush(nil)
      dup2(kept, STDOUT_FILENO)
      close(kept)
    }
    return body()
  }

  private static func run(
    _ trust: ScriptTrust, folder: [UInt8]?, _ hosts: AllowedHosts?, _ limits: ScriptLimits,
    startsLua: Bool = true, _ body: (LuaHost) -> Int32
  ) -> Int32 {
    let program = ScriptProgram.ofProcess(
      trust: trust, limits: limits, allowedHosts: hosts, startsLua: startsLua)
    return program?.perform(folder: folder, words: CommandWords.all, body) ?? 1
  }
}
