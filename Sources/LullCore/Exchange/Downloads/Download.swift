import LullSystem
import Synchronization

/// A file that takes the body of an answer as it arrives: nobody sees it before all of it is there.
///
/// Named in the options of a request, which it belongs to from then on. Order of events: `open`, at the
/// latest with the first attempt; for each attempt `prepare`, then what its `BodySink` is told, then
/// `settle`; in the end `close`. What has arrived is gone on with, in the next attempt and, of one that
/// resumes, in the next process; where the server's answer does not fit it, the whole is asked for. Without
/// resuming, the bytes go into a file without a name in the same folder, so that nothing is left however
/// the process ends. Devices, pipes and standard output are written at once. Any thread. (DWN-01 to DWN-18)
package final class Download: Sendable, Equatable {
  package enum Target: Sendable {
    case standardOutput
    /// A file that is there is replaced when all has arrived, and keeps its mode. In a folder the file is
    /// called as the server or the URL says, and replaces nothing.
    case file(ByteString, allowsFolder: Bool)
  }

  /// Why not everything could be written.
  package struct Problem: Error {
    /// The path, and what is wrong with it.
    package let text: String
    /// Whoever reads what is written has had enough.
    package var isUnread = false
    /// A part came where nobody had asked for one.
    package var isPart = false

    fileprivate init(_ text: String) { self.text = text }

    package var error: TransportError { .final(.fileUnavailable, "cannot write \(text)") }
  }

  /// What becomes of a request after one of its attempts.
  package enum Outcome {
    /// This is what has come of it.
    case ended(NetworkResult)
    /// Something is to be asked for once more, for a reason that the log tells.
    case again(String)
  }

  private let target: Target
  private let resumes: Bool
  /// Whether a file of its name in the folder gives it a number, and is no mistake.
  private let numbersNames: Bool
  /// As it was given, for messages.
  private let shown: String
  private let state = Mutex(DownloadState())

  package init(to target: Target, resumes: Bool = false, numbersNames: Bool = false) {
    self.target = target
    self.resumes = resumes
    self.numbersNames = numbersNames
    switch target {
    case .standardOutput: shown = "standard output"
    case .file(let path, _): shown = path.description
    }
  }

  deinit { close() }

  package static func == (one: Download, other: Download) -> Bool { one === other }

  /// Whether all has arrived and is where it should be.
  package var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Whether one that was to be gone on with begins anew, since of the file that is there nobody knows how
  /// to go on.
  package var replacesWhole: Bool { state.withLock { $0.replacesWhole } }

  /// Where a part has been kept, and why it cannot be resumed; nil if it can, or if none has.
  package var obstacle: (part: String, reason: String)? {
    state.withLock { state -> (part: String, reason: String)? in
      guard state.file.size > 0, !state.isFinished, let reason = state.obstacle else { return nil }
      return (part: state.partName, reason: reason)
    }
  }

  /// Where the file is; nil of standard output, and before it has a name.
  package var path: ByteString? { state.withLock { $0.place?.path.map { ByteString($0) } } }

  /// Why not everything could be written; nil if it could.
  package var problem: Problem? { state.withLock { $0.problem } }

  @discardableResult
  private func fail(_ state: inout DownloadState, _ text: String) -> Problem {
    let problem = state.problem ?? Problem("\(shown): \(text)")
    state.problem = problem
    return problem
  }

  private func fail(_ state: inout DownloadState, errno code: Int32) {
    fail(&state, ErrorText.of(code))
    state.problem?.isUnread = DescriptorWriting.isUnread(code)
  }

  // MARK: Before

  /// Finds out whether there is a place for it, before anything is sent. Again, it does nothing, and neither
  /// does it for one that resumes: its part depends on what is asked for.
  package func open() throws(Problem) {
    guard !resumes else { return }
    try state.withLock { state throws(Problem) in try open(&state, partName: nil) }
  }

  private func open(_ state: inout DownloadState, partName: String?) throws(Problem) {
    if let problem = state.problem { throw problem }
    guard state.place == nil else { return }
    switch target {
    case .standardOutput: state.place = .standardOutput
    case .file(let path, let allowsFolder):
      do throws(DownloadPlace.Failure) {
        state.place = try .found(path.bytes, allowsFolder: allowsFolder, partName: partName)
        state.place?.numbersNames = numbersNames
      } catch {
        throw fail(&state, error.text)
      }
    }
  }

  /// The same of one that resumes, whose part is locked; looks how far it has come.
  private func openPart(
    _ state: inout DownloadState, for request: HTTPRequest, now: Double
  ) throws(Problem) {
    guard state.place == nil else { return }
    guard request.method == .get, !Download.asksForPart(request) else {
      let reason = request.method == .get ? "a Range of its own" : request.method.rawValue
      throw fail(&state, "what is asked for with \(reason) cannot be resumed")
    }
    state.mark = PartNote.mark(of: request)
    // What the server calls it is not known yet, and another address has another part.
    let name = "\(DownloadName.name(ofURL: request.url)).\(state.mark)"
    try open(&state, partName: name)
    state.partName = state.place?.part?.shown ?? ""
    guard let part = state.place?.part, part.size > 0 else {
      state.replacesWhole = state.place?.path.map { FileStamp.of($0) != nil } ?? false
      return
    }
    guard let note = part.note(limit: PartNote.largest).flatMap({ PartNote($0, now: now) }) else {
      throw fail(
        &state, "\(part.shown) is no part of a download that could be resumed: remove it first")
    }
    state.file =
      note.mark == state.mark
      ? PartialFile(size: part.size, validator: note.validator, total: note.total)
      : PartialFile(size: part.size)
    state.replacesWhole = state.file.validator == nil
  }

  /// What the next attempt asks for.
  ///
  /// - Parameter now: Unix seconds.
  package func prepare(_ request: HTTPRequest, now: Double) throws(TransportError) -> HTTPRequest {
    let prepared: (offset: Int?, validator: PartValidator?)
    do throws(Problem) {
      prepared = try state.withLock { state throws(Problem) in
        if resumes { try openPart(&state, for: request, now: now) }
        try open(&state, partName: nil)
        let isDivisible = request.method == .get && !Download.asksForPart(request)
        state.beginAttempt(for: request, isDivisible: isDivisible, now: now)
        return (state.asked, state.file.validator)
      }
    } catch {
      throw error.error
    }
    guard request.method != .head else {
      throw Problem("\(shown): what is asked for with HEAD has no body").error
    }
    var request = request
    var options = request.options ?? TransferOptions()
    options.sink = BodySink(
      begin: { head in self.state.withLock { self.begin(&$0, head) } },
      take: { bytes in self.state.withLock { self.take(&$0, bytes) } ? .more : .refuse })
    request.options = options
    if let offset = prepared.offset, let validator = prepared.validator {
      request.headers["range"] = "bytes=\(offset)-"
      request.headers.set("if-range", bytes: validator.value.bytes)
      request.headers["accept-encoding"] = "identity"
    }
    return request
  }

  private static func asksForPart(_ request: HTTPRequest) -> Bool {
    request.headers["range"] != nil || request.headers["if-range"] != nil
  }

  // MARK: Meanwhile

  /// Counts what was there before with what has come.
  package func counted(_ metrics: RequestTransferMetrics) -> RequestTransferMetrics {
    let base = state.withLock { $0.base }
    var metrics = metrics
    metrics.responseBytesReceived += base
    metrics.responseBytesTotal = metrics.responseBytesTotal.map { $0 + base }
    return metrics
  }

  private func begin(_ state: inout DownloadState, _ head: HTTPResponse) -> Bool {
    guard !state.isOver, state.problem == nil, let place = state.place else { return false }
    state.hasBegun = true
    switch state.file.reply(head, to: state.asked) {
    case .whole(let total):
      guard beginWhole(&state, head, total, place) else { return false }
    case .part(let range, let total): state.beginPart(range, total: total)
    case .startOver(let reason):
      state.startsOver = reason
      return false
    case .unwanted:
      fail(
        &state,
        "the server has sent a part only (206), which is not saved in the place of the whole")
      state.problem?.isPart = true
      return false
    case .other:
      state.refusedStatus = head.status
      return false
    case .complete: return false
    }
    return setName(&state, head.headers)
  }

  private func beginWhole(
    _ state: inout DownloadState, _ head: HTTPResponse, _ total: Int?, _ place: DownloadPlace
  ) -> Bool {
    if state.file.size > 0, !place.empty() {
      fail(&state, "what came broke off, and what is written cannot be taken back")
      return false
    }
    place.comeAfterPrinted()
    state.beginWhole(PartialFile.beginning(head, now: state.now))
    state.obstacle = resumes ? PartialFile.obstacle(head, now: state.now) : nil
    if place.isTerminal { state.filter = TerminalText() }
    guard let part = place.part else { return true }
    let note = PartNote(mark: state.mark, validator: state.file.validator, total: total)
    guard let code = part.setNote(note.bytes) else { return true }
    fail(&state, errno: code)
    return false
  }

  private func setName(_ state: inout DownloadState, _ headers: Headers) -> Bool {
    guard state.place?.isNameless == true else { return true }
    let name = DownloadName.name(headers, url: state.url)
    guard let failure = state.place?.setName(name) else { return true }
    fail(&state, failure.text)
    return false
  }

  private func take(
    _ state: inout DownloadState, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard !state.isOver, state.problem == nil, let place = state.place else { return false }
    guard let fresh = state.fresh(bytes) else {
      state.startsOver = "more has come than its Content-Range says"
      return false
    }
    let failure: Int32?
    if let shown = state.filter?.visible(fresh) {
      failure = DescriptorWriting.put(shown, into: place.descriptor)
    } else {
      failure = DescriptorWriting.put(fresh, into: place.descriptor)
    }
    if let failure {
      fail(&state, errno: failure)
      return false
    }
    state.file.size += fresh.count
    return true
  }

  // MARK: Afterwards

  /// What has come of an attempt: puts the file in its place if all of it is there.
  package func settle(_ result: NetworkResult) -> Outcome {
    state.withLock { state in
      guard !state.isOver else { return .ended(result) }
      if let outcome = stopped(&state, result) { return outcome }
      guard result.error == nil, let response = result.response else { return .ended(result) }
      switch state.file.reply(response, to: state.asked) {
      case .other:
        guard (300..<400).contains(response.status), response.status != 304 else {
          return .ended(result)
        }
        return noFile(result, response.status)
      case .complete:
        guard setName(&state, response.headers) else { break }
        return finish(&state, result)
      case .startOver(let reason): state.startsOver = reason
      case .whole, .part, .unwanted:
        // What stands in for the network has brought it as a whole.
        if !state.hasBegun, begin(&state, response) {
          (result.body ?? []).withUnsafeBufferPointer { _ = take(&state, $0) }
        }
        if stopped(state) { break }
        return whole(&state, result)
      }
      return stopped(&state, result) ?? .ended(result)
    }
  }

  /// Takes all of what did not come from any network, and puts the file in its place.
  package func save(_ bytes: [UInt8]) throws(Problem) {
    try state.withLock { state throws(Problem) in
      try open(&state, partName: nil)
      state.file.size = 0
      if begin(&state, HTTPResponse(status: 200)) {
        bytes.withUnsafeBufferPointer { _ = take(&state, $0) }
      }
      if state.problem == nil { _ = finish(&state, NetworkResult()) }
      if let problem = state.problem { throw problem }
    }
  }

  private func stopped(_ state: DownloadState) -> Bool {
    state.problem != nil || state.startsOver != nil || state.refusedStatus != nil
  }

  /// What becomes of an attempt that was stopped from here; nil of any other.
  private func stopped(_ state: inout DownloadState, _ result: NetworkResult) -> Outcome? {
    if let problem = state.problem {
      return .ended(NetworkResult(response: result.response, error: problem.error))
    }
    if let status = state.refusedStatus { return noFile(result, status) }
    guard let reason = state.startsOver else { return nil }
    guard state.beginsAnotherRound(forWhole: true) else { return tooManyPieces(result) }
    return .again("the answer does not go on with what is there, \(reason)")
  }

  /// What has arrived as a whole, if nothing is missing of it.
  private func whole(_ state: inout DownloadState, _ result: NetworkResult) -> Outcome {
    guard let end = state.end else { return finish(&state, result) }
    guard state.file.size >= end else {
      return failed(
        result, .truncatedBody, "the body ended before the last of its bytes, \(end - 1)")
    }
    guard state.file.size != state.file.total else { return finish(&state, result) }
    guard state.beginsAnotherRound(forWhole: false) else { return tooManyPieces(result) }
    return .again("the server has sent less than the rest")
  }

  private func finish(_ state: inout DownloadState, _ result: NetworkResult) -> Outcome {
    guard var place = state.place else { return .ended(result) }
    let code =
      DescriptorWriting.put(state.filter?.end() ?? [], into: place.descriptor) ?? place.finish()
    state.place = place
    if let code {
      fail(&state, errno: code)
      return stopped(&state, result) ?? .ended(result)
    }
    state.isFinished = true
    state.isOver = true
    var result = result
    if result.body != nil { result.body = [] }
    return .ended(result)
  }

  private func noFile(_ result: NetworkResult, _ status: Int) -> Outcome {
    let error = TransportError.final(
      .malformedResponse, "\(shown): an answer of status \(status) is no file")
    return .ended(NetworkResult(response: result.response, error: error))
  }

  private func tooManyPieces(_ result: NetworkResult) -> Outcome {
    failed(result, .malformedResponse, "the server sends it in too many pieces")
  }

  private func failed(
    _ result: NetworkResult, _ kind: TransportError.Kind, _ text: String
  ) -> Outcome {
    .ended(NetworkResult(response: result.response, error: TransportError(kind, text)))
  }

  /// Nothing more is taken, and nobody else is kept from the file. Again, it does nothing.
  package func close() {
    state.withLock { state in
      state.isOver = true
      let keepsPart = state.place?.part.map { state.isWorthKeeping($0) } ?? false
      state.place?.discard(keepsPart: keepsPart)
    }
  }
}

/// How far a download has come, and what its present attempt is about.
struct DownloadState: Sendable {
  /// nil before it is opened.
  var place: DownloadPlace?
  /// What is there.
  var file = PartialFile()
  /// Of what was asked for, see `PartNote`.
  var mark = ""
  var problem: Download.Problem?
  /// Of what is shown on a terminal.
  var filter: TerminalText?
  /// Whether what was there has been replaced.
  var hasChanged = false
  /// Whether a file of that name is there, and nothing that it could go on with.
  var replacesWhole = false
  /// Where the part is, and why no other process can go on with it; nil if one can.
  var partName = ""
  var obstacle: String?
  var isFinished = false
  /// Whether nothing more is taken.
  var isOver = false
  /// How often something was asked for once more, other than by a retry.
  private(set) var rounds = 0
  /// Whether an answer has not fitted what is there.
  private(set) var asksForWhole = false

  // Of the present attempt.
  private(set) var url = ""
  /// Unix seconds.
  private(set) var now = 0.0
  /// From where on it has asked for the rest; nil: for the whole.
  private(set) var asked: Int?
  var hasBegun = false
  /// What was there before this answer, of which it says nothing.
  private(set) var base = 0
  /// Bytes at the beginning of the answer that are there already.
  private var overlap = 0
  /// Where the part that comes ends; nil of a whole.
  private(set) var end: Int?
  /// That of an answer which is nothing to be kept.
  var refusedStatus: Int?
  /// Why the whole is to be asked for.
  var startsOver: String?

  /// Servers that send a file in more pieces than these are not asked any more.
  private static let mostRounds = 1000

  mutating func beginAttempt(for request: HTTPRequest, isDivisible: Bool, now: Double) {
    url = request.url
    self.now = now
    asked = isDivisible && !asksForWhole ? file.offset : nil
    hasBegun = false
    base = 0
    overlap = 0
    end = nil
    startsOver = nil
    refusedStatus = nil
  }

  mutating func beginWhole(_ beginning: PartialFile) {
    file = beginning
    asksForWhole = false
    hasChanged = true
  }

  mutating func beginPart(_ range: Range<Int>, total: Int?) {
    base = range.lowerBound
    overlap = file.size - range.lowerBound
    end = range.upperBound
    file.total = total
  }

  /// What of a piece is not there yet; nil if it is more than was said.
  mutating func fresh(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    let fresh = UnsafeBufferPointer(rebasing: bytes.dropFirst(overlap))
    overlap -= bytes.count - fresh.count
    if let end, file.size + fresh.count > end { return nil }
    return fresh
  }

  /// Whether something may be asked for once more.
  mutating func beginsAnotherRound(forWhole: Bool) -> Bool {
    rounds += 1
    if forWhole { asksForWhole = true }
    return rounds <= DownloadState.mostRounds
  }

  /// Whether the part that is there is kept for the user or another process: what this one has written of it, or
  /// what was there before and has not been touched.
  func isWorthKeeping(_ part: PartFile) -> Bool {
    hasChanged ? file.size > 0 : part.size > 0
  }
}
