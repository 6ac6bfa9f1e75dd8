import LullLibC
import LullSystem

/// The implementation of `lull test`. It lists the tests of all files, runs them, reports the
/// results, and writes snapshots and recordings.
///
/// First, every file is loaded once to list its tests. Then the tests are run, each in a new host.
/// The snapshots of a file are written after its last test. Used only on the thread that created
/// it.
package final class TestSession {
  package struct Options: Sendable {
    package var files: [String] = []
    /// Whether files were named explicitly. In that case, other test files in the same folders are
    /// not run.
    package var namesFiles = false
    /// The error messages about files that can't be read.
    package var problems: [String] = []
    package var jobs = 1
    /// A text that the names of the selected tests contain. `nil` selects all tests.
    package var filter: String?
    package var isTAP = false
    package var junit: String?
    package var html: String?
    /// The API files whose coverage is reported, as names for `lull.api`.
    package var coverage: [String] = []
    /// Whether a note counts as a failure.
    package var isStrict = false
    package var settings = TestSettings()
    package var isColoured = false
    /// The command line that starts a worker, without its settings.
    package var words: [String] = []

    package init() {}
  }

  private var options: Options
  private let complain: (String) -> Void
  private var reports: [any TestReport] = []
  private let files: [any TestFileReport]
  /// The files that test files have loaded.
  private(set) var loaded: Set<String> = []
  private var summary = TestSummary()
  private var snapshots: SnapshotIndex
  private var cassettes = CassetteIndex()
  private var recordings: RecordingIndex

  /// - Parameters:
  ///   - write: Receives the text of the report.
  ///   - complain: Receives messages about errors of the command itself.
  package init(
    _ options: Options, write: @escaping (String) -> Void, complain: @escaping (String) -> Void
  ) {
    self.options = options
    self.complain = complain
    files =
      (options.junit.map { [JUnitReport($0, complain)] } ?? [])
      + (options.html.map { [HTMLReport($0, complain)] } ?? [])
    snapshots = SnapshotIndex(options.settings)
    recordings = RecordingIndex(options.settings.recording)
    reports = [
      options.isTAP ? TAPReport(write) : PlainReport(isColoured: options.isColoured, write)
    ]
    reports += files
  }

  /// Runs the tests and returns the exit code.
  package func run() -> Int32 {
    let start = SystemClock.uptime
    guard let folder = TemporaryFolder("lull-test") else {
      complain("lull: cannot create a folder for the tests: \(ErrorText.of(errno))\n")
      return 1
    }
    defer { folder.remove() }
    options.settings.folder = folder.path
    for problem in options.problems {
      complain("lull: \(problem)\n")
      summary.unreadable += 1
    }
    let crew: TestCrew
    var signal: Int32?
    do throws(TestCrew.Failure) {
      crew = try TestCrew(options.words, options.settings, size: options.jobs)
      defer { crew.close() }
      try describeAPIs(crew)
      let plan = try collect(crew)
      if let filter = options.filter, plan.items.isEmpty, crew.signal == nil, summary.failed == 0,
        summary.unreadable == 0
      {
        complain("lull: no test's name contains '\(filter)'\n")
        return 2
      }
      try run(plan, crew)
      signal = crew.signal
    } catch {
      complain("lull: \(error.text)\n")
      return 1
    }
    summary.seconds = SystemClock.uptime - start
    for report in reports { report.finish(summary, isInterrupted: signal != nil) }
    if let signal { return 128 + signal }
    if summary.unreadable > 0 { return 3 }
    return summary.failed > 0 || files.contains { $0.hasFailed } ? 1 : 0
  }

  private func tell(_ outcome: TestOutcome) {
    summary.count(outcome)
    for report in reports { report.ended(outcome) }
  }

  // MARK: API files

  /// Gets the calls that the API files declare whose coverage is reported. Each file is included
  /// once.
  private func describeAPIs(_ crew: TestCrew) throws(TestCrew.Failure) {
    try crew.carryOut(options.coverage.map { TestOrder(file: "", api: $0) }) { _, reply in
      guard let api = reply.api else {
        complain(reply.unreadable ?? reply.failures.joined())
        summary.unreadable += 1
        return
      }
      if !summary.coverage.contains(where: { $0.api.isAlike(api) }) {
        summary.coverage.append(APICoverage(api))
      }
    }
  }

  private func note(_ uses: [CallUse]) {
    for use in uses {
      for place in summary.coverage.indices { summary.coverage[place].note(use) }
    }
  }

  // MARK: The files

  private func collect(_ crew: TestCrew) throws(TestCrew.Failure) -> TestPlan {
    var found: [(file: String, tests: [DeclaredTest])] = []
    try crew.carryOut(options.files.map { TestOrder(file: $0) }) { place, reply in
      let file = options.files[place]
      loaded.formUnion(reply.loaded)
      if let unreadable = reply.unreadable {
        summary.unreadable += 1
        return tell(file, [unreadable], reply.output)
      }
      var failures = reply.failures
      let only = reply.declared.first { $0.mode == .only }
      if failures.isEmpty, reply.declared.isEmpty {
        failures = ["lull: \(file) declares no test: test(\"name\", function(t) … end)\n"]
      } else if let only, options.settings.isReadOnly {
        failures.append(
          "lull: \(file):\(only.line): test.only skips the other tests, which is not allowed if CI is "
            + "set\n")
      }
      guard failures.isEmpty else { return tell(file, failures, reply.output) }
      found.append((file, reply.declared))
    }
    return TestPlan(found, filter: options.filter)
  }

  private func tell(_ file: String, _ failures: [String], _ output: String) {
    tell(
      TestOutcome(file: file, name: nil, verdict: .failed, failures: failures, output: output))
  }

  // MARK: The tests

  private func run(_ plan: TestPlan, _ crew: TestCrew) throws(TestCrew.Failure) {
    let items = plan.items
    // Skipped tests are not given to workers, but are reported in their order.
    let places = items.indices.filter { !items[$0].isSkipped }
    var next = 0
    func tellSkipped(before place: Int) {
      while next < place {
        if items[next].isSkipped {
          tell(TestOutcome(file: items[next].file, name: items[next].test.name, verdict: .skipped))
          endFile(after: next, plan)
        }
        next += 1
      }
    }
    var toldCount = 0
    try crew.carryOut(
      places.map {
        TestOrder(
          file: items[$0].file, number: items[$0].number, name: items[$0].test.name,
          isPartial: isPartial(plan))
      }
    ) { order, reply in
      let place = places[order]
      tellSkipped(before: place)
      toldCount += 1
      tell(outcome(of: items[place], reply))
      next = max(next, place + 1)
      endFile(after: place, plan)
    }
    if crew.signal == nil { tellSkipped(before: items.count) }
    summary.left = places.count - toldCount
    endRecordings(isInterrupted: crew.signal != nil, plan)
    summary.isPartial = !plan.isWhole || !plan.skipping.isEmpty || summary.left > 0
    if plan.isWhole, summary.left == 0, summary.failed == 0, summary.unreadable == 0 {
      endCassettes(plan)
    }
  }

  private func outcome(of item: TestPlan.Item, _ reply: TestReply) -> TestOutcome {
    var failures = reply.failures
    if let unreadable = reply.unreadable { failures.append(unreadable) }
    var notes = reply.notes
    cassettes.note(reply.cassettes, of: item.file)
    note(reply.calls)
    loaded.formUnion(reply.loaded)
    if let left = reply.leftovers {
      let text = "left behind: \(left)"
      if options.isStrict { failures.append("lull: \(text)\n") } else { notes.append(text) }
    }
    if let twice = snapshots.note(reply, of: item.file, hasPassed: failures.isEmpty) {
      failures.append(
        "lull: another test of \(item.file) also has the snapshot '\(twice)': rename one of them\n"
      )
    }
    recordings.note(reply, of: item.test.name, hasPassed: failures.isEmpty)
    return TestOutcome(
      file: item.file, name: item.test.name, verdict: failures.isEmpty ? .passed : .failed,
      failures: failures, notes: notes, seconds: reply.seconds, heldSeconds: reply.heldSeconds,
      output: reply.output, exchanges: reply.exchanges, moreExchanges: reply.moreExchanges)
  }

  /// Returns whether tests that are not run may use the same recordings.
  private func isPartial(_ plan: TestPlan) -> Bool {
    !plan.isWhole || !plan.skipping.isEmpty || options.namesFiles
  }

  /// Moves the drafts of recordings to their final paths, unless the run was interrupted.
  private func endRecordings(isInterrupted: Bool, _ plan: TestPlan) {
    guard options.settings.recording != .none else { return }
    guard !isInterrupted else {
      summary.notes.append("the tests were interrupted, so nothing is recorded")
      return
    }
    for ending in recordings.end(isPartial: isPartial(plan)) {
      if ending.hasFailed {
        tell(ending.path, ["lull: \(ending.text)\n"], "")
      } else {
        summary.notes += [ending.text] + ending.remarks
      }
    }
  }

  /// Reports recordings that are not used, or only partly.
  private func endCassettes(_ plan: TestPlan) {
    for (path, text) in cassettes.unplayed(options.files, besides: plan.skipping) {
      if options.isStrict {
        tell(path, ["lull: \(text)\n"], "")
      } else {
        summary.notes.append(text)
      }
    }
  }

  /// Writes the snapshots of a file after its last test.
  private func endFile(after place: Int, _ plan: TestPlan) {
    let file = plan.items[place].file
    guard plan.isLast(place) else { return }
    do throws(SnapshotFile.Problem) {
      let end = try snapshots.end(file, isWhole: plan.whole.contains(file))
      summary.written += end.written
      guard !end.obsolete.isEmpty else { return }
      let text =
        "no test uses \(end.obsolete.map { "'\($0)'" }.joined(separator: ", ")) in "
        + "\(SnapshotFile.path(of: file)): remove unused snapshots with lull test --update"
      if options.isStrict { tell(file, ["lull: \(text)\n"], "") }
    } catch {
      tell(file, ["lull: \(error.text)\n"], "")
    }
  }
}
