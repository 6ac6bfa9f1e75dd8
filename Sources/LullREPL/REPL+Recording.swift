import LullCassettes
import LullCore
import LullHost
import LullLibC
import LullLuaSource
import LullSystem
import LullTransport

/// Implements the directives `.record`, `.stop` and `.test`.
extension REPL {
  func record(_ name: String) -> Bool {
    guard !isSandboxed else { return refuse(".record is not available in the sandbox") }
    if let recording, !recording.hasEnded {
      return refuse("'\(recording.name)' is already being recorded: .stop ends the recording")
    }
    guard HARFile.isPlain(name: name), !name.contains(where: \.isWhitespace) else {
      return refuse(
        name.isEmpty
          ? "the name is missing: .record NAME"
          : ".record takes a plain name, such as .record repos")
    }
    let path = SessionRecording.path(of: name)
    guard access(path, F_OK) != 0 else {
      return refuse("'\(path)' already exists: choose another name, or remove it first")
    }
    guard let network = environment.defaultNetworking() as? CurlProvider else {
      return refuse("this session has no network to record")
    }
    recording = SessionRecording(
      name: name, start: inputs.count, recorder: SessionRecorder(network, environment.pump))
    StandardOutput.write(
      "recording network traffic; .test writes the input from here on as a test\n")
    return true
  }

  func stopRecording() -> Bool {
    guard let recording, !recording.hasEnded else {
      return refuse("nothing is being recorded: .record NAME starts a recording")
    }
    return write(recording)
  }

  /// Called at the end of a session. Writes the recording if `.stop` was not used.
  func endRecording() {
    if let recording, !recording.hasEnded { _ = write(recording) }
  }

  private func write(_ recording: SessionRecording) -> Bool {
    let inFlight = recording.recorder.inFlightCount
    let entries = recording.recorder.stop()
    if inFlight > 0 {
      complain("lull: requests still in flight are not recorded: \(inFlight)\n")
    }
    self.recording?.hasEnded = true
    for problem in recording.recorder.problems { complain("lull: \(problem)\n") }
    guard !entries.isEmpty else {
      self.recording = nil
      return refuse("there was no network traffic, so nothing is written")
    }
    let file = HARFile(
      creator: HARFile.Creator(name: "lull", version: Lull.version), entries: entries)
    if let problem = put(file.encoded(), at: recording.path, below: "cassettes") {
      return refuse(problem)
    }
    let noun = entries.count == 1 ? "exchange" : "exchanges"
    StandardOutput.write("recorded \(entries.count) \(noun) in \(recording.path)\n")
    let leftovers = recording.recorder.suspicions.prefix(5)
    if !leftovers.isEmpty {
      StandardOutput.write(
        "the recording may contain a token that is not hidden: check \(leftovers.joined(separator: "; "))\n"
      )
    }
    return true
  }

  /// Writes a new file in the folder `tests`. Returns an error message if the file can't be
  /// written, otherwise nil.
  private func put(_ bytes: [UInt8], at path: String, below folder: String? = nil) -> String? {
    for made in ["tests"] + (folder.map { ["tests/\($0)"] } ?? [])
    where mkdir(made, 0o777) != 0 && errno != EEXIST {
      return "cannot create the folder '\(made)': \(ErrorText.of(errno))"
    }
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      return errno == EEXIST
        ? "'\(path)' already exists: remove it first, or record under another name"
        : "cannot write '\(path)': \(ErrorText.of(errno))"
    }
    defer { LullLibC.close(file) }
    guard let code = DescriptorWriting.put(bytes, into: file) else { return nil }
    unlink(path)
    return "cannot write '\(path)': \(ErrorText.of(code))"
  }

  // MARK: The test

  /// Writes a test that consists of the input since `.record`. The test expects the results that
  /// the session had.
  func writeTest() -> Bool {
    guard let recording else {
      return refuse("there is no recording that a test can replay: .record NAME starts a recording")
    }
    if !recording.hasEnded, !write(recording) { return false }
    let typed = inputs.since(recording.start).filter { input -> Bool in
      if case .failure = input.result { return true }
      return input.hasSucceeded && input.file == nil
    }
    guard !typed.isEmpty else {
      return refuse("no statement was typed since .record, so there is nothing to test")
    }
    let statements = typed.enumerated().map { place, input in
      var statement = statement(of: input, recording.recorder)
      let next = typed.indices.contains(place + 1) ? typed[place + 1].endedBefore : input.endedAfter
      // If the test expects a request to succeed, it already waits for that request.
      if next > input.endedAfter, input.request == nil || statement.left != nil {
        statement.pause = max(1, Int(recording.recorder.longest.rounded(.up)))
      }
      return statement
    }
    let names = Set(typed.flatMap { StatementParts($0.text).names })
    let draft = TestDraft(
      recording.name, statements, using: names, environment: REPL.usualEnvironment)
    // Expected values may repeat credentials from responses, so these are hidden too.
    let bytes = recording.recorder.hidden(script: draft.bytes)
    if let problem = put(bytes, at: recording.testPath) { return refuse(problem) }
    StandardOutput.write("wrote \(recording.testPath): lull test runs it without a network\n")
    return true
  }

  private func statement(
    of input: TypedInput, _ recorder: SessionRecorder
  ) -> TestDraft.Statement {
    var result = input.result
    var left: String?
    if let request = input.request {
      result = TypedResult(request)
      if result == .object { left = "the request was still in flight" }
    }
    switch result {
    case .mixed:
      left = "a snapshot cannot represent the keys or values of this table"
    case .literal(let text)
    where recorder.hidesAnswers && TestDraft.names(in: input.text) && !isSaid(text, by: recorder):
      left = "responses were recorded with placeholders, and this text may contain a hidden value"
    default: break
    }
    return TestDraft.Statement(
      text: session.statement(
        of: input.text, hasValue: result != .nothing),
      isValue: result != .nothing, result: result, left: left, number: input.number,
      isAwaited: input.isAwaited)
  }

  /// The environment name in the variable `LULL_ENV`. `nil` if the variable is not set, or if its
  /// value is not a valid name.
  private static var usualEnvironment: String? {
    // The value is copied immediately, because the environment may change.
    guard let name = getenv("LULL_ENV").map({ String(cString: $0) }), !name.isEmpty,
      name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    return name
  }

  /// Returns whether a number or string occurs in a recorded response. Returns true for every other
  /// kind of literal, because responses are not searched for them.
  private func isSaid(_ literal: String, by recorder: SessionRecorder) -> Bool {
    let bytes = recorder.hidden(script: Array(literal.utf8))
    var text = String(escaping: bytes)
    if let number = Double(text) { return recorder.says(number: number) }
    guard text.hasPrefix("\"") else { return true }
    text = String(text.dropFirst().dropLast())
    // A Lua escape usually differs from the escape in the response. So only the text before the
    // first escape is searched for.
    guard let escape = text.firstIndex(of: "\\") else { return recorder.says(text: text) }
    return recorder.says(text: String(text[..<escape]))
  }
}

/// The current or last recording of a session.
struct SessionRecording {
  let name: String
  /// The number of statements that the session had run before the recording started.
  let start: Int
  let recorder: SessionRecorder
  /// Whether the recording has ended, because the test was written.
  var hasEnded = false

  static func path(of name: String) -> String { "tests/cassettes/\(name).har" }

  var path: String { SessionRecording.path(of: name) }
  var testPath: String { "tests/\(name)_test.lua" }
}
