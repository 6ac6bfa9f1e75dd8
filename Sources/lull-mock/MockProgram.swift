import LullLibC
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// One run of the program: loads the API file and serves its calls until a signal ends it. The
/// sample API also ends with its parent process.
struct MockProgram {
  private let options: MockOptions

  init(_ options: MockOptions) { self.options = options }

  /// Runs until the end and returns the exit code.
  func run() -> Int32 {
    // Output of the API file and its functions goes to standard error. Standard output has only the
    // text that announces the server, which programs may read.
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

  /// The folder in which the file first looks for modules.
  private var folder: [UInt8]? {
    guard case .file(let name) = options.source else { return nil }
    return APIFileLocator.file(of: name).map { FileName.folder(of: Array($0.utf8)) }
  }

  private func serve(_ host: LuaHost, _ output: Int32) -> Int32 {
    // Count functions before the file runs, because the file may keep references to library
    // functions.
    guard host.loop.limits.countFunctions() else {
      StandardError.write("lull: cannot start: not enough memory\n")
      return 1
    }
    let files = host.part(APIFiles.self)
    let api: APIFile
    let calls: [APICall]
    do throws(APIFileProblem) {
      switch options.source {
      case .file(let name): api = try files.api(name)
      case .sample: api = try files.api(shipped: ShippedLua.sample, as: "sample")
      }
      // Problems are reported before anything is served.
      calls = try api.calls
    } catch {
      StandardError.write(ControlCharacters.shown(in: files.describe(error)))
      return error.exitCode
    }
    guard !host.loop.isInterrupted else { return 1 }
    do throws(MockProblem) {
      let cassettes = try MockCassettes(
        options.cassettes, MockBase(api.service.baseURL), of: calls, at: api.service.baseURL,
        in: api.environment?.name)
      let handlers = try MockHandlers(host)
      try bound(host)
      var servers = [try HTTPServer(options, host.environment)]
      if options.hasOtherOrigin {
        servers.append(try HTTPServer(options.atAnyPort, host.environment))
      }
      defer { servers.forEach { $0.close() } }
      let addresses = servers.map(\.address)
      let sites = addresses.enumerated().map { place, address in
        MockSite(address, other: options.hasOtherOrigin ? addresses[1 - place] : nil, options)
      }
      for (server, site) in zip(servers, sites) {
        let mock = Mock(
          api, calls, site, cassettes, handlers, clock: host.environment.pump.clock, options)
        server.take = { exchange in mock.take(exchange) }
        server.objection = { asked in mock.objection(to: asked) }
        server.refuse = { exchange, problem in mock.refuse(exchange, problem) }
      }
      if options.isSample { try endWithParent() }
      try announce(api, calls.count, sites[0], into: output)
      host.loop.run { [loop = host.loop] in
        // The output of functions must appear before their requests are logged.
        fflush(nil)
        for server in servers { server.serve() }
        return loop.isInterrupted
      }
      return 0
    } catch {
      let program = options.isSample ? "lull-demo" : "lull"
      StandardError.write(ControlCharacters.shown(in: "\(program): \(error.text)\n"))
      return error.exitCode
    }
  }

  /// Ends the process with exit code 0 at SIGINT and SIGTERM, and when standard input is a pipe
  /// that closes.
  private func endWithParent() throws(MockProblem) {
    signal(SIGINT) { _ in _exit(0) }
    signal(SIGTERM) { _ in _exit(0) }
    var status = stat()
    // A terminal, a file or /dev/null does not depend on a parent.
    guard fstat(STDIN_FILENO, &status) == 0,
      [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    else { return }
    let isWatched = NativeThread.start("lull-demo") {
      var buffer: [UInt8] = Array(repeating: 0, count: 1024)
      while true {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count == 0 || (count < 0 && errno != EINTR) { _exit(0) }
      }
    }
    guard isWatched else { throw MockProblem(text: "cannot start: the system has no thread left") }
  }

  /// Limits the running time of functions from now on: a running function blocks all requests.
  private func bound(_ host: LuaHost) throws(MockProblem) {
    let text =
      "a function ran for more than \(ScriptLimits.seconds(options.longest)) without waiting (--max-time)"
    guard host.loop.limits.setAlarm(ofStretches: options.longest, saying: text) else {
      throw MockProblem(text: "cannot start: the system has no timer left")
    }
  }

  private func announce(
    _ api: APIFile, _ count: Int, _ site: MockSite, into output: Int32
  ) throws(MockProblem) {
    if options.isSample {
      var text = "lull-demo listening on \(site.url)\n"
      if !options.isQuiet, let other = site.otherURL {
        text += "the other origin, for redirects: \(other)\n\n\(api.description ?? "")\n"
      }
      // A parent may read the first line and close our output.
      _ = DescriptorWriting.put(Array(text.utf8), into: output)
      return
    }
    let line = "\(site.url) serves \(count) call\(count == 1 ? "" : "s") of \(api.fullName)\n"
    guard let code = DescriptorWriting.put(Array(line.utf8), into: output) else { return }
    throw MockProblem(text: "cannot print the URL: \(ErrorText.of(code))")
  }
}
