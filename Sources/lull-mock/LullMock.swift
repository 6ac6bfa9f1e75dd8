import LullLibC
import LullArguments
import LullClients
import LullCore
import LullSystem

/// The program `lull-mock`. `lull mock` executes it, and `lull demo` executes it with `--sample`.
@main
enum LullMock {
  static func main() {
    openStandardStreams()
    // The process that reads the output may close it.
    signal(SIGPIPE, SIG_IGN)
    let isSample = CommandLine.arguments.dropFirst().first == "--sample"
    // The parent program's logging setting is for its own requests.
    if isSample { unsetenv("LULL_LOG") }
    let words = Array(CommandLine.arguments.dropFirst(isSample ? 2 : 1))
    let spec = isSample ? MockOptions.sampleSpec : MockArguments.spec
    do throws(ArgumentParser.End) {
      let parsed = try ArgumentParser.parse(words, by: spec)
      let options = isSample ? MockOptions(sample: parsed) : MockOptions(parsed)
      end(MockProgram(options).run())
    } catch {
      switch error {
      case .problem(let problem):
        let usage = ArgumentHelp.text(of: spec).prefix { $0 != "\n" }
        StandardError.write(
          ControlCharacters.shown(in: "lull: \(problem)\n\(usage)\nTry '\(spec.name) --help'.\n"))
        end(2)
      case .help, .version:
        let page = Array(ArgumentHelp.text(of: spec).utf8)
        end(DescriptorWriting.put(page, into: STDOUT_FILENO) == nil ? 0 : 1)
      }
    }
  }

  /// Exits without the cleanup of libraries, because the kernel frees everything faster.
  private static func end(_ code: Int32) -> Never {
    fflush(nil)
    _exit(code)
  }

  /// Opens /dev/null for closed standard streams, so that a socket does not get their descriptors.
  private static func openStandardStreams() {
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      guard descriptor >= 0, descriptor <= 2 else {
        if descriptor > 2 { close(descriptor) }
        return
      }
    }
  }
}
