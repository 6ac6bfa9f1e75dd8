import LullSystem

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
