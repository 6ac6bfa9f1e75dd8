import LullCore

/// A body of files as it is compared where the recording has masks of secrets in it, whose texts the files have.
struct RecordedFile: Sendable {
  private let bytes: [UInt8]
  private let isOfFile: Bool
  /// What stands between the masks of secrets; one piece without any.
  private let pieces: [[UInt8]]

  /// nil of a body that has neither files nor masks.
  init?(_ body: HARBody) {
    let bytes = RecordedBody.withoutBoundary(body.bytes, type: body.type)
    let pieces = RecordedFile.pieces(of: bytes)
    guard body.isOfFile || pieces.count > 1 else { return nil }
    self.bytes = bytes
    self.pieces = pieces
    isOfFile = body.isOfFile
  }

  /// Whether these are files with the other's pieces, in order, and something in the place of each mask.
  func fits(_ recorded: RecordedFile) -> Bool {
    guard isOfFile, recorded.pieces.count > 1, let first = recorded.pieces.first,
      let last = recorded.pieces.last, bytes.starts(with: first)
    else { return false }
    var place = first.count
    for piece in recorded.pieces.dropFirst().dropLast() {
      // At least one byte stands for a mask.
      guard place < bytes.count,
        let found = bytes[(place + 1)...].firstRange(of: piece)
      else { return false }
      place = found.upperBound
    }
    return bytes.count > place + last.count && bytes.suffix(last.count).elementsEqual(last)
  }

  private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while let start = rest.firstRange(of: Array("‹secret ".utf8)),
      let end = rest[start.upperBound...].firstRange(of: Array("›".utf8))
    {
      pieces.append(Array(rest[..<start.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return pieces + [Array(rest)]
  }
}
