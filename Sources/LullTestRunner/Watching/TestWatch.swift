import LullLibC
import LullCore
import LullSystem
import LullTransport

/// `lull test --watch`: runs the tests, waits until a file that they depend on changes, and runs
/// the affected tests again.
///
/// If only test files and snapshots have changed, only the test files concerned are run. Otherwise
/// all are run. Files that tests write are not considered changes. On a terminal, Enter runs all
/// tests, and q quits. Used only on the thread that created it.
package final class TestWatch {
  private let options: TestSession.Options
  private let places: [String]
  private let write: (String) -> Void
  private let complain: (String) -> Void
  private let keys = WatchKeys()
  private let loop: EventLoop
  private var signals: [SignalWatch] = []
  private var signal: Int32?
  private var watches: [FolderWatch] = []
  /// The time of the last change to a file, by the loop's clock.
  private var stirred: Double?
  /// The files that tests have loaded, whatever folder they are in.
  private var loaded: Set<String> = []
  private var code: Int32 = 0
  private var hasComplained = false

  /// - Parameter places: The files and folders in which tests are searched for before each run.
  package init?(
    _ options: TestSession.Options, places: [String], write: @escaping (String) -> Void,
    complain: @escaping (String) -> Void
  ) {
    do throws(TransportError) { loop = try EventLoop() } catch {
      complain("lull: \(error.message)\n")
      return nil
    }
    self.options = options
    self.places = places
    self.write = write
    self.complain = complain
    signals = [SIGINT, SIGTERM].compactMap { number in
      SignalWatch(number, on: loop) { [unowned self] in signal = signal ?? number }
    }
  }

  private func close() {
    for watch in watches { watch.close() }
    watches = []
    for watch in signals { watch.close() }
    keys.close()
    loop.close()
  }

  /// Watches until the user quits or a signal arrives. Returns the exit code of the last run, or
  /// the exit code for the signal.
  package func run() -> Int32 {
    defer { close() }
    keys.open(on: loop)
    var next: [String]?
    while true {
      let files = self.files
      let before = look()
      runTests(next.map { chosen in files.filter(chosen.contains) } ?? files)
      // During the run, the test session handled signals.
      if let signal = signal ?? (code > 128 ? code - 128 : nil) { return 128 + signal }
      guard let wanted = wait(since: before) else {
        write("\n")
        return signal.map { 128 + $0 } ?? code
      }
      next = wanted.isEmpty ? nil : wanted
    }
  }

  private var files: [String] { TestSearch(places).files }

  private func runTests(_ files: [String]) {
    var options = options
    options.files = files
    options.problems = TestSearch(places).problems
    guard !files.isEmpty else {
      for problem in options.problems { complain("lull: \(problem)\n") }
      write("there are no test files (*_test.lua) now\n")
      code = 2
      return
    }
    let session = TestSession(options, write: write, complain: complain)
    code = session.run()
    loaded.formUnion(session.loaded)
  }

  // MARK: Waiting

  /// The delay in seconds between a change and the next run. Editors often write a file first and
  /// rename it afterwards.
  private static let calm = 0.15

  /// Waits until the next run. Returns the files to run, an empty list for all files, or `nil` to
  /// quit.
  private func wait(since before: WatchedFiles) -> [String]? {
    var before = before
    // Changes during the run are considered too, except for files that tests write.
    before.take(writtenIn: look())
    tell(
      keys.areThere ? "waiting for changes; Enter runs all again, q ends" : "waiting for changes")
    stirred = loop.uptime
    while signal == nil {
      switch keys.take() {
      case .run?:
        tell("all again")
        return []
      case .end?: return nil
      case nil: break
      }
      if let stirred, loop.uptime - stirred >= TestWatch.calm {
        self.stirred = nil
        let changes = look().changes(since: before)
        if !changes.isEmpty { return chosen(by: changes) }
      }
      // The timer wakes up the loop when the files have not changed for a while.
      let timer = stirred.map { last in
        loop.schedule(after: max(0.01, last + TestWatch.calm - loop.uptime)) {}
      }
      loop.turn(.once)
      timer?.cancel()
    }
    return nil
  }

  /// Reads the current state of the files, and starts to watch their folders.
  private func look() -> WatchedFiles {
    var folders: Set = ["apis"]
    var files = loaded
    for place in places {
      if FileName.isFolder(place) {
        folders.insert(TestWatch.trimmed(place))
      } else if access(place, F_OK) == 0 {
        folders.insert(FileName.folder(of: place))
      } else {
        // The file does not exist, but may be created again.
        files.insert(place)
      }
    }
    watch(WatchedFiles(below: folders, and: files).folders)
    // Read the state after watching has started. A change before that is included, and a later one
    // causes an event.
    return WatchedFiles(below: folders, and: files)
  }

  /// Watches folders. All watches are created again each time, because a folder may have been
  /// replaced by another one with the same name.
  private func watch(_ folders: Set<String>) {
    for watch in watches { watch.close() }
    watches = folders.compactMap { folder in
      FolderWatch(folder, on: loop) { [unowned self] in stirred = loop.uptime }
    }
    let blind = folders.count - watches.count
    guard blind > 0, !hasComplained else { return }
    hasComplained = true
    complain(
      "lull: \(blind) of \(folders.count) folders cannot be watched: "
        + "changes there do not start a run\n")
  }

  private func chosen(by changes: [String]) -> [String] {
    let known = self.files
    var chosen: Set<String> = []
    for change in changes {
      let file = known.first { file in
        [file, SnapshotFile.path(of: file)].contains { TestWatch.plain($0) == change }
      }
      guard let file else {
        chosen = []
        break
      }
      chosen.insert(file)
    }
    let shown = changes.prefix(3).map { "'\(ControlCharacters.shown(in: $0))'" }
    let more = changes.count - shown.count
    tell(
      shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        + (changes.count == 1 ? " has changed" : " have changed"))
    return chosen.sorted()
  }

  private func tell(_ text: String) {
    let line = "── \(text) "
    let rest = max(3, 72 - line.count)
    write("\n" + line + String(repeating: "─", count: rest) + "\n")
  }

  private static func plain(_ path: String) -> String {
    path.hasPrefix("./") ? String(path.dropFirst(2)) : path
  }

  private static func trimmed(_ folder: String) -> String {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    return folder
  }
}
