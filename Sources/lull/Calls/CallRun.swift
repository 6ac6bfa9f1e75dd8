import Glibc
import LullCore
import LullHost
import LullREPL
import LullTransport

/// Gets an API going for a command.
enum CallRun {
  /// Loads the API in a state of its own, and does something with it; the exit code.
  static func run(_ target: CallTarget.API, _ body: (LuaHost, APIFile) -> Int32) -> Int32 {
    var folder: [UInt8]?
    if case .file(let word) = target, let path = APIFileLocator.file(of: word) {
      folder = SourceFile.folder(of: Array(path.utf8))
    }
    return run(folder: folder) { host in
      do throws(APIFileProblem) {
        switch target {
        case .file(let word): return body(host, try host.api(word))
        case .origin(let url): return body(host, try host.api(atURL: url))
        }
      } catch {
        Exit.complain(host.describe(error))
        return error.exitCode
      }
    }
  }

  /// - Parameter isInspecting: API files are loaded only to be looked at: no host may be reached, and they
  ///   must come to an end. What `body` has found out it must not write.
  static func run(
    folder: [UInt8]?, isInspecting: Bool = false, _ body: (LuaHost) -> Int32
  ) -> Int32 {
    guard
      let environment = try? LoopEnvironment(
        ownsProcess: true, allowedHosts: isInspecting ? AllowedHosts() : nil),
      let program = ScriptProgram(
        environment: environment, limits: isInspecting ? LuaHost.inspectionLimits : .init())
    else {
      Exit.complain("lull: cannot start: not enough memory or descriptors\n")
      return 1
    }
    func run() -> Int32 {
      program.perform(folder: folder, words: CommandWords.all) { host in
        host.isInspecting = isInspecting
        return body(host)
      }
    }
    return isInspecting ? withoutStandardOutput(run) : run()
  }

  /// What a file prints is no result of looking at it: it goes to standard error.
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
}

extension APIFileProblem {
  var exitCode: Int32 {
    switch self {
    case .missing, .syntax: 3
    case .failed, .declaration: 1
    }
  }
}
