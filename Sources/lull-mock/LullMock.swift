import LullLibC
import LullArguments
import LullClients
import LullCore
import LullSystem

/// The program `lull-mock`, which `lull mock` becomes, and with `--sample` also `lull demo`.
@main
enum LullMock {
  static func main() {
    openStandardStreams()
    // Whoever reads our lines may stop doing so.
    signal(SIGPIPE, SIG_IGN)
    let isSample = CommandLine.arguments.dropFirst().first == "--sample"
    // What the program that starts the sample API logs is about its own requests.
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

  /// What libraries would tidy up at exit the kernel tidies faster.
  private static func end(_ code: Int32) -> Never {
    fflush(nil)
    _exit(code)
  }

  /// Gives closed standard streams a place to go: a socket must not get their descriptors.
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
