/// Undoes all codings of a body, the last applied first.
///
/// Nothing is kept between pieces but the state of the codings. Bytes between two codings are bounded
/// as those of the body are: they cost as much work, though no memory.
final class BodyDecoder {
  private let decoders: [ContentDecoder]
  private let maxSize: Int
  /// Bytes that came out of each but the last.
  private var sizes: [Int]

  /// - Parameters:
  ///   - codings: in the order in which they were applied.
  ///   - maxSize: of what lies between two codings.
  init(_ codings: [ContentCoding], maxSize: Int) {
    decoders = codings.reversed().map { ContentDecoder($0) }
    sizes = Array(repeating: 0, count: codings.count)
    self.maxSize = maxSize
  }

  /// Gives what `bytes` hold to `next`, in pieces that are valid during its call.
  func take(_ bytes: UnsafeBufferPointer<UInt8>, _ next: ContentDecoder.Taking)
    throws(DecodingFailure)
  {
    try take(bytes, at: 0, next)
  }

  private func take(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, _ next: ContentDecoder.Taking
  ) throws(DecodingFailure) {
    guard index < decoders.count else { return try next(bytes) }
    try decoders[index].take(bytes) { piece throws(DecodingFailure) in
      if index + 1 < decoders.count {
        sizes[index] += piece.count
        guard sizes[index] <= maxSize else { throw .tooLarge }
      }
      try take(piece, at: index + 1, next)
    }
  }

  /// The coding of which something is missing; nil if nothing is.
  var unfinished: ContentCoding? { decoders.first { !$0.isWhole }?.coding }

  /// Bytes behind the end of the body, and the coding they are not of; nil if there are none.
  var surplus: (coding: ContentCoding, count: Int)? {
    decoders.first { $0.surplus > 0 }.map { ($0.coding, $0.surplus) }
  }
}
