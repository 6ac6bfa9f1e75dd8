/// Whether an answer may be kept where it outlives the process. (RFC 9111, section 5.2.2.5)
enum StoringRule {
  /// Why nothing is written, in words of the log.
  static let reason = "Cache-Control: no-store"
  /// The same of what would be found by requests with other headers.
  static let lostVariant =
    "the answer has Vary, and a transformer's entity has nothing of the answer"
  /// The same of what is not all there is.
  static let part = "the answer is a part (206)"
}

extension Entity {
  /// Whether the server has sent a part of what it has only. (RFC 9110, 15.3.7)
  package var isPart: Bool { exchange?.status == 206 }

  /// Whether it came with `no-store`, or an exchange that was asked for with it.
  package var forbidsStoring: Bool {
    exchange?.forbidsStoring ?? false || CacheControl.forbidsStoring(headers)
  }
}
