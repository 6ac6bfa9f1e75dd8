import LullSystem
import Synchronization

/// A file that receives the body of a response as it arrives. The file becomes visible only when it
/// is complete.
///
/// A download is set in the options of one request and belongs to that request. Its functions are
/// called in this order:
///
/// 1. `open`, at the latest with the first attempt
/// 2. for each attempt: `prepare`, the functions of its `BodySink`, and `settle`
/// 3. `close`
///
/// An attempt resumes after the bytes that earlier attempts have stored. If the response doesn't
/// match the stored bytes, the whole file is requested. If `resumes` is true, the bytes are in a
/// part file, with which another process can resume the download. If `resumes` is false, the bytes
/// go to an unnamed file in the same folder, so that nothing remains however the process ends.
/// Devices, pipes and standard output are written directly. Usable on any thread. (DWN-01 to
/// DWN-18)
package final class Download: Sendable, Equatable {
  package enum Target: Sendable {
    case standardOutput
    /// A file or folder. If a file exists at the path, it is replaced when all bytes have arrived,
    /// and keeps its mode. If the path is a folder, the file is created in the folder, with a name
    /// from the server or the URL. An existing file in the folder is not replaced.
    case file(ByteString, allowsFolder: Bool)
  }

  /// An error that stopped the download.
  package struct Problem: Error {
    /// The path of the file, and the error message.
    package let text: String
    /// Whether the output has no reader any more, because the reader has closed it.
    package var isUnread = false
    /// Whether the server sent a partial response that was not requested.
    package var isPart = false

    fileprivate init(_ text: String) { self.text = text }

    package var error: TransportError { .final(.fileUnavailable, "cannot write \(text)") }
  }

  /// How a download continues after an attempt.
  package enum Outcome {
    /// The request has ended with this result.
    case ended(NetworkResult)
    /// Another request is needed. The text is the reason, which is logged.
    case again(String)
  }

  private let target: Target
  private let resumes: Bool
  /// Whether a number is added to the file name if the folder already has a file of that name. If
  /// false, the download fails instead.
  private let numbersNames: Bool
  /// The target as the user wrote it. Used in messages.
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

  /// Whether the file is complete and has been given its final name.
  package var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Whether a resuming download starts from the beginning although the file exists, because no
  /// bytes are stored that could be resumed.
  package var replacesWhole: Bool { state.withLock { $0.replacesWhole } }

  /// The path of the stored part file, and the reason why it can't be resumed. nil if there is no
  /// part file, or if the part file can be resumed.
  package var obstacle: (part: String, reason: String)? {
    state.withLock { state -> (part: String, reason: String)? in
      guard state.file.size > 0, !state.isFinished, let reason = state.obstacle else { return nil }
      return (part: state.partName, reason: reason)
    }
  }

  /// The path of the file; nil for standard output, or while the file has no name.
  package var path: ByteString? { state.withLock { $0.place?.path.map { ByteString($0) } } }

  /// The error that stopped the download, if any.
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

  /// Checks that the target can be written, before anything is sent. Calling this function again
  /// does nothing. It also does nothing for a download that resumes, because the part file depends
  /// on the request.
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

  /// Opens and locks the part file of a download that resumes. Determines how many bytes are
  /// stored.
  private func openPart(
    _ state: inout DownloadState, for request: HTTPRequest, now: Double
  ) throws(Problem) {
    guard state.place == nil else { return }
    guard request.method == .get, !Download.asksForPart(request) else {
      let reason = request.method == .get ? "its own Range header" : request.method.rawValue
      throw fail(&state, "a request with \(reason) cannot be resumed")
    }
    state.mark = PartNote.mark(of: request)
    // The server's name for the file isn't known yet, and each URL has its own part.
    let name = "\(DownloadName.name(ofURL: request.url)).\(state.mark)"
    try open(&state, partName: name)
    state.partName = state.place?.part?.shown ?? ""
    guard let part = state.place?.part, part.size > 0 else {
      state.replacesWhole = state.place?.path.map { FileStamp.of($0) != nil } ?? false
      return
    }
    guard let note = part.note(limit: PartNote.largest).flatMap({ PartNote($0, now: now) }) else {
      throw fail(
        &state,
        "\(part.shown) is not a partial download that can be resumed: remove the file first")
    }
    state.file =
      note.mark == state.mark
      ? PartialFile(size: part.size, validator: note.validator, total: note.total)
      : PartialFile(size: part.size)
    state.replacesWhole = state.file.validator == nil
  }

  /// Prepares the request of the next attempt, for example by adding a `Range` header.
  ///
  /// - Parameter now: The current time in Unix epoch seconds.
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
      throw Problem("\(shown): the response to HEAD has no body").error
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

  /// Returns `metrics` with the byte counts increased by the number of bytes that were stored
  /// before this response.
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
        "the server sent only a part of the file (206), which is not saved as the whole file")
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
      fail(&state, "the download was interrupted, and the bytes already written cannot be removed")
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
      state.startsOver = "it is larger than its Content-Range"
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

  /// Decides how the download continues after an attempt. If the file is complete, it is given its
  /// final name.
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
        // Networking that doesn't support `BodySink` delivers the whole body at once.
        if !state.hasBegun, begin(&state, response) {
          (result.body ?? []).withUnsafeBufferPointer { _ = take(&state, $0) }
        }
        if stopped(state) { break }
        return whole(&state, result)
      }
      return stopped(&state, result) ?? .ended(result)
    }
  }

  /// Writes a body that did not come from the network to the file, and gives the file its final
  /// name.
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

  /// The outcome of an attempt that failed because this download stopped it; nil for any other
  /// attempt.
  private func stopped(_ state: inout DownloadState, _ result: NetworkResult) -> Outcome? {
    if let problem = state.problem {
      return .ended(NetworkResult(response: result.response, error: problem.error))
    }
    if let status = state.refusedStatus { return noFile(result, status) }
    guard let reason = state.startsOver else { return nil }
    guard state.beginsAnotherRound(forWhole: true) else { return tooManyPieces(result) }
    return .again("the response does not continue the partial file: \(reason)")
  }

  /// Decides the outcome of a response that was received completely. If no byte of the file is
  /// missing, the file is finished. Otherwise, either the rest is requested or the request fails.
  private func whole(_ state: inout DownloadState, _ result: NetworkResult) -> Outcome {
    guard let end = state.end else { return finish(&state, result) }
    guard state.file.size >= end else {
      return failed(
        result, .truncatedBody, "the body ended before its last byte, \(end - 1)")
    }
    guard state.file.size != state.file.total else { return finish(&state, result) }
    guard state.beginsAnotherRound(forWhole: false) else { return tooManyPieces(result) }
    return .again("the server sent only some of the remaining bytes")
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
      .malformedResponse, "\(shown): a response with status \(status) is not a file")
    return .ended(NetworkResult(response: result.response, error: error))
  }

  private func tooManyPieces(_ result: NetworkResult) -> Outcome {
    failed(result, .malformedResponse, "the server sends the file in too many parts")
  }

  private func failed(
    _ result: NetworkResult, _ kind: TransportError.Kind, _ text: String
  ) -> Outcome {
    .ended(NetworkResult(response: result.response, error: TransportError(kind, text)))
  }

  /// Ends the download, and releases the lock on the file. Bytes that arrive later are refused.
  /// Calling this function again does nothing.
  package func close() {
    state.withLock { state in
      state.isOver = true
      let keepsPart = state.place?.part.map { state.isWorthKeeping($0) } ?? false
      state.place?.discard(keepsPart: keepsPart)
    }
  }
}

/// The progress of a download and the state of its current attempt.
struct DownloadState: Sendable {
  /// The file or stream to which the bytes are written; nil before it is opened.
  var place: DownloadPlace?
  /// The bytes stored so far, with their validator.
  var file = PartialFile()
  /// Identifies the request; see `PartNote`.
  var mark = ""
  var problem: Download.Problem?
  /// Filters control characters if the target is a terminal; otherwise nil.
  var filter: TerminalText?
  /// Whether a new file has replaced the stored bytes of an earlier download.
  var hasChanged = false
  /// Whether the file exists and no bytes are stored that could be resumed.
  var replacesWhole = false
  /// The path of the part file.
  var partName = ""
  var obstacle: String?
  var isFinished = false
  /// Whether the download has ended, so that further bytes are refused.
  var isOver = false
  /// The number of additional requests so far, not counting retries.
  private(set) var rounds = 0
  /// Whether the whole file is requested, because a response didn't match the stored bytes.
  private(set) var asksForWhole = false

  // The following properties belong to the current attempt.
  private(set) var url = ""
  /// The time at which the attempt began, in Unix epoch seconds.
  private(set) var now = 0.0
  /// The offset from which the rest was requested; nil if the whole file was requested.
  private(set) var asked: Int?
  var hasBegun = false
  /// The number of stored bytes before the first byte of this response.
  private(set) var base = 0
  /// The number of bytes at the beginning of the response that are already stored.
  private var overlap = 0
  /// The offset in the file at which the partial response ends; nil if the response contains the
  /// whole file.
  private(set) var end: Int?
  /// The status of a response whose body isn't saved; nil if there is no such response.
  var refusedStatus: Int?
  /// Why the whole file must be requested again; nil if it needn't be.
  var startsOver: String?

  /// The largest number of additional requests. If more are needed, the download fails.
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

  /// Returns the bytes of `bytes` that aren't stored yet; nil if the server has sent more bytes
  /// than it announced.
  mutating func fresh(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    let fresh = UnsafeBufferPointer(rebasing: bytes.dropFirst(overlap))
    overlap -= bytes.count - fresh.count
    if let end, file.size + fresh.count > end { return nil }
    return fresh
  }

  /// Counts an additional request. Returns false if the largest number of additional requests has
  /// been exceeded.
  mutating func beginsAnotherRound(forWhole: Bool) -> Bool {
    rounds += 1
    if forWhole { asksForWhole = true }
    return rounds <= DownloadState.mostRounds
  }

  /// Whether the part file should be kept for the user or another process. This is the case if it
  /// has bytes that this process has written, or the unchanged bytes of an earlier download.
  func isWorthKeeping(_ part: PartFile) -> Bool {
    hasChanged ? file.size > 0 : part.size > 0
  }
}
