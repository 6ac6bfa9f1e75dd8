import LullLibC
import LullCore
import LullSystem
import LullTransport

/// `lull test --watch`: runs the tests, waits until something changes that they depend on, and runs again those that
/// it may be about.
///
/// Of files of tests and snapshots that have changed, those files are run; of anything else, all. What tests write
/// themselves is no change. At a terminal Enter runs all again, and q ends. Thread of its maker only.
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
  /// When something has stirred last.
  private var stirred: Double?
  /// Files that tests have loaded from anywhere.
  private var loaded: Set<String> = []
  private var code: Int32 = 0
  private var hasComplained = false

  /// - Parameter places: where tests are searched for, anew each time.
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

  /// The exit code: of the last run, or of the signal that has ended it.
  package func run() -> Int32 {
    defer { close() }
    keys.open(on: loop)
    var next: [String]?
    while true {
      let files = self.files
      let before = look()
      runTests(next.map { chosen in files.filter(chosen.contains) } ?? files)
      // While they ran, signals were theirs.
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
      write("there is no file of tests (*_test.lua) now\n")
      code = 2
      return
    }
    let session = TestSession(options, write: write, complain: complain)
    code = session.run()
    loaded.formUnion(session.loaded)
  }

  // MARK: Waiting

  /// A change is often several: editors write a file, and then rename it.
  private static let calm = 0.15

  /// Until something is to be run: these files, or all if there are none; nil: it ends.
  private func wait(since before: WatchedFiles) -> [String]? {
    var before = before
    // What was changed meanwhile by somebody else counts.
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
      // It wakes the loop when it has been calm for long enough.
      let timer = stirred.map { last in
        loop.schedule(after: max(0.01, last + TestWatch.calm - loop.uptime)) {}
      }
      loop.turn(.once)
      timer?.cancel()
    }
    return nil
  }

  /// Looks at all there is now, and watches the folders.
  private func look() -> WatchedFiles {
    var folders: Set = ["apis"]
    var files = loaded
    for place in places {
      if FileName.isFolder(place) {
        folders.insert(TestWatch.trimmed(place))
      } else if access(place, F_OK) == 0 {
        folders.insert(FileName.folder(of: place))
      } else {
        // It may come back.
        files.insert(place)
      }
    }
    watch(WatchedFiles(below: folders, and: files).folders)
    // What has changed before they were watched is seen now, what changes behind it stirs them.
    return WatchedFiles(below: folders, and: files)
  }

  /// Anew each time: a folder may be another one of the same name.
  private func watch(_ folders: Set<String>) {
    for watch in watches { watch.close() }
    watches = folders.compactMap { folder in
      FolderWatch(folder, on: loop) { [unowned self] in stirred = loop.uptime }
    }
    let blind = folders.count - watches.count
    guard blind > 0, !hasComplained else { return }
    hasComplained = true
    complain(
      "lull: \(blind) of \(folders.count) folders cannot be watched: changes there start nothing\n")
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
