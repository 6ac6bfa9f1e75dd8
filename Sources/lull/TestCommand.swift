import LullLibC
import LullArguments
import LullCore
import LullHost
import LullTestRunner
import LullSystem

extension Command {
  static let test = Command(
    "test", "run the tests in *_test.lua files", .script,
    forms: [("test [FILE …]", "run the tests in *_test.lua files")],
    spec: { TestCommand.spec }, words: .optionsAndFiles
  ) { words, _ throws(CommandEnd) in try TestCommand(words.dropFirst()).run() }
}

/// `lull test`: runs test files, each test in a separate host, without network access and with a
/// simulated clock.
struct TestCommand {
  /// The hidden word that starts a worker's command line.
  static let workerWord = "--test-worker"

  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull test",
      description: """
        Runs tests that are written with require "lull.test".

        Folders (default tests) are searched for *_test.lua files; hidden folders are
        skipped. Each test has its own Lua state, services, caches and folders. Time
        stands still until nothing else is left to do, then moves to the next timer.
        Tests reach no network unless they record it (--record).
        """,
      arguments: [
        .init(
          positional: "FILES OR FOLDERS", help: "Files, or folders to search (default tests).",
          isRequired: false, isRepeated: true),
        .init(
          "--jobs", placeholder: "N", demand: .wholeNumber(1...64),
          help: "Run N tests at the same time.", details: "The default is the number of processors."
        ),
        .init("--filter", placeholder: "TEXT", help: "Run only tests whose name contains TEXT."),
        .init("--update", kind: .flag, help: "Rewrite snapshots."),
        .init(
          "--record", placeholder: "missing|all|none",
          demand: .init("missing, all or none") { RecordingMode(rawValue: $0) != nil },
          help: "Record responses of the network.",
          details: """
            With missing, requests without a recorded response are sent; with all, all requests are sent. \
            The tests run one after the other. The default is none.
            """),
        .init(
          "--strict", kind: .flag, help: "Fail on leftovers and unused recordings.",
          details: """
            Fails if a test leaves something running, or if a snapshot or recording is unused.
            """),
        .init(
          "--watch", kind: .flag, help: "Run tests again when a file changes.",
          details: "Stops with q or Ctrl-C.",
          rules: [
            .conflicts("--tap", "--record missing|all", hint: "--watch runs tests again and again")
          ]),
        .init("--tap", kind: .flag, help: "Write TAP 13, as prove reads it."),
        .init(
          "--junit", placeholder: "FILE", demand: .fileName,
          help: "Write a JUnit report for CI servers."),
        .init(
          "--html", placeholder: "FILE", demand: .fileName, help: "Write an HTML report.",
          details: "The report shows failures, requests with their times, and output."),
        .init(
          "--coverage", placeholder: "API", demand: .some("the name or the path of an API file"),
          help: "Report which calls of an API are used.", completion: .apis, isRepeated: true),
        .init(
          "--max-time", placeholder: "SECONDS", demand: .positiveSeconds,
          help: "End a test after this time (default 60 s)."),
      ],
      examples: [
        "lull test",
        "lull test tests/repos_test.lua --filter fresh",
        "lull test tests/repos_test.lua --record missing",
        "lull test --watch --html report.html",
        "prove -e 'lull test --tap' tests/*_test.lua",
      ],
      exitCodes: [
        .init(0, "all passed"),
        .init(1, "a test failed"),
        .init(2, "wrong usage or no tests found"),
        .init(3, "a file or an API of --coverage cannot be loaded"),
        .init(130, "ended by Ctrl-C"),
      ])
  }

  private var options = TestSession.Options()
  private var places: [String] = []
  private var isWatching = false

  /// - Parameter words: The arguments after `test`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try TestCommand.spec.read(words, for: .test)
    places = parsed.all("FILES OR FOLDERS")
    let isGiven = !places.isEmpty
    if !isGiven { places = ["tests"] }
    let isReadOnly = getenv("CI").map { $0.pointee != 0 } ?? false
    options.settings.isUpdating = parsed.has("--update")
    options.settings.isReadOnly = isReadOnly
    if isReadOnly, options.settings.isUpdating {
      throw .wrongUsage("--update writes snapshots, which is not allowed if CI is set", .test)
    }
    options.settings.recording =
      parsed.text("--record").flatMap(RecordingMode.init(rawValue:)) ?? .none
    let isRecording = options.settings.recording != .none
    if isReadOnly, isRecording {
      throw .wrongUsage("--record uses the network, which is not allowed if CI is set", .test)
    }
    if let longest = parsed.text("--max-time").flatMap({ Double($0) }) {
      options.settings.longest = longest
    }
    let jobs = parsed.text("--jobs").flatMap { Int($0) }
    if isRecording, let jobs, jobs > 1 {
      throw .wrongUsage(
        "--record runs one test after the other, since each test uses the recordings of the test before: "
          + "leave --jobs out", .test)
    }
    options.jobs = isRecording ? 1 : jobs ?? TestCommand.processorCount
    options.filter = parsed.text("--filter")
    options.isStrict = parsed.has("--strict")
    options.isTAP = parsed.has("--tap")
    options.junit = parsed.text("--junit")
    options.html = parsed.text("--html")
    options.coverage = parsed.all("--coverage")
    try refuseWrongFiles()
    isWatching = parsed.has("--watch")
    options.isColoured = OutputStyle.forStandardOutput().isColoured
    options.words = ["/proc/self/exe", TestCommand.workerWord]
    if !isGiven, access("tests", F_OK) != 0 {
      throw .wrongUsage(
        "there is no folder 'tests' here: name files or folders with tests (*_test.lua)", .test)
    }
    options.namesFiles = places.contains { $0.hasSuffix(TestSearch.ending) }
    let search = TestSearch(places)
    (options.files, options.problems) = (search.files, search.problems)
    if options.files.isEmpty, options.problems.isEmpty {
      let shown = places.map { "'\($0)'" }.joined(separator: ", ")
      throw .wrongUsage("there is no test file (*_test.lua) in \(shown)", .test)
    }
  }

  /// Rejects report files that would overwrite a script or each other. A report replaces an
  /// existing file.
  private func refuseWrongFiles() throws(CommandEnd) {
    let files = [("--junit", options.junit), ("--html", options.html)]
    for case (let name, let file?) in files {
      if file.hasSuffix(".lua") {
        throw .wrongUsage("\(name) would write its report over '\(file)', which is a script", .test)
      }
    }
    if let junit = options.junit, let html = options.html,
      TestCommand.place(of: junit) == TestCommand.place(of: html)
    {
      throw .wrongUsage("--junit and --html would both write '\(html)'", .test)
    }
  }

  /// The path, with symbolic links in its folder resolved.
  private static func place(of file: String) -> String {
    let folder = FileName.folder(of: file)
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return (FileName.resolved(folder) ?? folder) + "/" + name
  }

  func run() -> Int32 {
    // If the reader of the output has gone, the tests still finish and clean up.
    signal(SIGPIPE, SIG_IGN)
    if isWatching {
      let watch = TestWatch(
        options, places: places, write: { _ = Output.write($0) }, complain: { Exit.complain($0) })
      return watch?.run() ?? 1
    }
    let session = TestSession(
      options, write: { _ = Output.write($0) }, complain: { Exit.complain($0) })
    return session.run()
  }

  private static var processorCount: Int { max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
