/// What is here of a file, what is asked for beyond it, and what an answer to that means: pure rules.
/// (DWN-04 to DWN-09; RFC 9110, sections 13.1.5 and 14)
package struct PartialFile: Equatable, Sendable {
  /// Bytes from its beginning on.
  package var size = 0
  /// What they are of; nil if they cannot be gone on with.
  package var validator: PartValidator?
  /// How many bytes the whole has, where a server has said so.
  package var total: Int?

  package init(size: Int = 0, validator: PartValidator? = nil, total: Int? = nil) {
    self.size = size
    self.validator = validator
    self.total = total
  }

  /// From where on the rest is asked for; nil: the whole is. Of what seems to be complete the last byte is
  /// asked for again, so that the server says whether it still is.
  package var offset: Int? {
    guard validator != nil, size > 0 else { return nil }
    guard let total else { return size }
    guard size <= total else { return nil }
    return min(size, total - 1)
  }

  package enum Reply: Equatable {
    /// All of it comes, of so many bytes where that is known.
    case whole(total: Int?)
    /// These bytes come, at the place where they were asked for.
    case part(Range<Int>, total: Int?)
    /// Nothing is missing.
    case complete
    /// It does not belong to what is here: the whole is to be asked for.
    case startOver(reason: String)
    /// A part where nobody has asked for one.
    case unwanted
    /// An answer about something else, such as an error.
    case other
  }

  /// - Parameter offset: what the request asked for.
  package func reply(_ head: HTTPResponse, to offset: Int?) -> Reply {
    switch head.status {
    case 206: partialReply(head.headers, to: offset)
    case 416: unsatisfiedReply(head.headers, to: offset)
    // Where some of it is here, an answer that says of nothing is not what was asked for; nor is one that
    // says where else it is.
    case 204 where offset != nil, 205 where offset != nil, 300...: .other
    default: .whole(total: PartialFile.length(head))
    }
  }

  private func partialReply(_ headers: Headers, to offset: Int?) -> Reply {
    guard let offset else { return .unwanted }
    if let type = headers["content-type"], type.lowercased().hasPrefix("multipart/byteranges") {
      return .startOver(reason: "it comes in several parts")
    }
    guard PartialFile.isPlain(headers) else { return .startOver(reason: "it comes encoded") }
    guard case .part(let range, let total)? = ContentRange(headers) else {
      return .startOver(reason: "it does not say which bytes these are")
    }
    guard range.lowerBound == offset else {
      return .startOver(reason: "it begins at byte \(range.lowerBound), not \(offset)")
    }
    if let total, let known = self.total, total != known {
      return .startOver(reason: "the file has \(total) bytes now, not \(known)")
    }
    guard validator?.isContradicted(by: headers) != true else {
      return .startOver(reason: "it is of another file")
    }
    return .part(range, total: total ?? self.total)
  }

  private func unsatisfiedReply(_ headers: Headers, to offset: Int?) -> Reply {
    guard offset != nil else { return .other }
    guard case .none(let total)? = ContentRange(headers), total == size,
      total == self.total ?? total,
      validator?.isContradicted(by: headers) != true
    else { return .startOver(reason: "there is no such part of it any more (416)") }
    return .complete
  }

  /// What can be gone on with of a whole that begins to come.
  ///
  /// - Parameter now: Unix seconds.
  package static func beginning(_ head: HTTPResponse, now: Double) -> PartialFile {
    let headers = head.headers
    let isDivisible =
      head.status == 200 && isPlain(headers)
      && headers["accept-ranges"]?.lowercased() != "none"
    return PartialFile(
      validator: isDivisible ? PartValidator(headers, now: now) : nil, total: length(head))
  }

  /// Why a whole that breaks off cannot be gone on with; nil if it can.
  package static func obstacle(_ head: HTTPResponse, now: Double) -> String? {
    guard beginning(head, now: now).validator == nil else { return nil }
    let headers = head.headers
    if head.status != 200 { return "the server has answered with status \(head.status)" }
    if !isPlain(headers) { return "the server sends it encoded" }
    if headers["accept-ranges"]?.lowercased() == "none" { return "the server sends no parts of it" }
    guard headers["etag"] != nil || headers["last-modified"] != nil else {
      return "the server sends neither ETag nor Last-Modified"
    }
    return "the ETag is weak, or missing and Last-Modified is too recent"
  }

  private static func length(_ head: HTTPResponse) -> Int? {
    guard isPlain(head.headers), head.headers["transfer-encoding"] == nil else { return nil }
    let values = Set(head.headers.values("content-length"))
    guard values.count == 1, let text = values.first,
      text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// Whether bytes come as they are in the file.
  private static func isPlain(_ headers: Headers) -> Bool {
    headers.values("content-encoding").allSatisfy {
      ["", "identity"].contains($0.trimmingBlanks.lowercased())
    }
  }
}
