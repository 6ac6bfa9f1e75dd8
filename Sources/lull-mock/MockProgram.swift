import LullLibC
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// One run: the API file is loaded, its calls are served, a signal ends it.
struct MockProgram {
  private let options: MockOptions

  init(_ options: MockOptions) { self.options = options }

  /// The exit code.
  func run() -> Int32 {
    // What the file and its functions print goes to standard error: the other has one line, for programs.
    let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0,
      let environment = try? LoopEnvironment(ownsProcess: true),
      let program = ScriptProgram(environment: environment, library: .withClients)
    else {
      StandardError.write("lull: cannot start: not enough memory or descriptors\n")
      return 1
    }
    let words = CommandLine.arguments.map { Array($0.utf8) }
    return program.perform(folder: folder, words: words) { host in serve(host, output) }
  }

  /// Where the file looks for modules first.
  private var folder: [UInt8]? {
    APIFileLocator.file(of: options.api).map { FileName.folder(of: Array($0.utf8)) }
  }

  private func serve(_ host: LuaHost, _ output: Int32) -> Int32 {
    // Before the file runs, which may keep what it has of the library.
    guard host.limits.countFunctions() else {
      StandardError.write("lull: cannot start: not enough memory\n")
      return 1
    }
    let files = host.part(APIFiles.self)
    let api: APIFile
    let calls: [APICall]
    do throws(APIFileProblem) {
      api = try files.api(options.api)
      // What is wrong with one is told before anything is served.
      calls = try api.calls
    } catch {
      StandardError.write(ControlCharacters.shown(in: files.describe(error)))
      return error.exitCode
    }
    guard !host.loop.isInterrupted else { return 1 }
    do throws(MockProblem) {
      let cassettes = try MockCassettes(
        options.cassettes, MockBase(api.service.baseURL), in: api.environment?.name)
      let handlers = try MockHandlers(host)
      try bound(host)
      let server = try HTTPServer(options, host.environment)
      defer { server.close() }
      let site = MockSite(server.address, hosts: options.hosts, origins: options.origins)
      let mock = Mock(
        api, calls, site, cassettes, handlers, clock: host.environment.pump.clock,
        log: RequestLog(isQuiet: options.isQuiet), hasDelays: options.hasDelays)
      server.take = { exchange in mock.take(exchange) }
      server.objection = { asked in mock.objection(to: asked) }
      server.refuse = { exchange, problem in mock.refuse(exchange, problem) }
      try announce(api, calls.count, site, into: output)
      host.loop.run { [loop = host.loop] in
        // What functions have printed is to be seen before their requests are told of.
        fflush(nil)
        server.serve()
        return loop.isInterrupted
      }
      return 0
    } catch {
      StandardError.write(ControlCharacters.shown(in: "lull: \(error.text)\n"))
      return error.exitCode
    }
  }

  /// From now on nothing of the file's runs on for ever: while it does, nobody is answered.
  private func bound(_ host: LuaHost) throws(MockProblem) {
    let text =
      "a function ran for more than \(ScriptLimits.seconds(options.longest)) without waiting (--max-time)"
    guard host.limits.setAlarm(ofStretches: options.longest, saying: text) else {
      throw MockProblem(text: "cannot start: the system has no timer left")
    }
  }

  private func announce(
    _ api: APIFile, _ count: Int, _ site: MockSite, into output: Int32
  ) throws(MockProblem) {
    let line = "\(site.url) serves \(count) call\(count == 1 ? "" : "s") of \(api.fullName)\n"
    guard let code = DescriptorWriting.put(Array(line.utf8), into: output) else { return }
    throw MockProblem(text: "cannot write where it is: \(ErrorText.of(code))")
  }
}
