import CCompression

/// Undoes one content coding, piece by piece, and knows whether the coded stream has come to its end.
///
/// Several gzip members or zstd frames in a row are one body. Anything else behind the end is left out
/// and counted.
final class ContentDecoder {
  private enum Stage {
    /// Of the head as many bytes as are here, too few to begin.
    case fresh([UInt8])
    case inside
    /// Behind an end; the bytes may begin one more stream.
    case ended([UInt8])
    /// Behind the end of the last one.
    case over
  }

  /// What is decoded at a time.
  private static let pieceSize = 32 << 10

  let coding: ContentCoding
  /// Bytes that stood behind the end.
  private(set) var surplus = 0
  private var stage = Stage.fresh([])
  private var stream: OpaquePointer?
  private let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceSize)

  init(_ coding: ContentCoding) {
    self.coding = coding
  }

  deinit {
    ccompression_close(stream)
    output.deallocate()
  }

  /// Whether nothing is missing. A body without a single byte is an empty one.
  var isWhole: Bool {
    switch stage {
    case .fresh(let bytes), .ended(let bytes): bytes.isEmpty
    case .inside: false
    case .over: true
    }
  }

  typealias Taking = (UnsafeBufferPointer<UInt8>) throws(DecodingFailure) -> Void

  /// Gives what `bytes` hold to `next`, in pieces that are valid during its call.
  func take(_ bytes: UnsafeBufferPointer<UInt8>, _ next: Taking) throws(DecodingFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch stage {
      case .fresh(let prefix): try begin(prefix, &rest, next)
      case .inside: try read(&rest, next)
      case .ended(let prefix): try goOn(prefix, &rest, next)
      case .over:
        surplus += rest.count
        return
      }
    }
  }

  private typealias Rest = Slice<UnsafeBufferPointer<UInt8>>

  private func begin(_ prefix: [UInt8], _ rest: inout Rest, _ next: Taking)
    throws(DecodingFailure)
  {
    let taken = rest.prefix(coding.prefixSize - prefix.count)
    let prefix = prefix + taken
    rest = rest.dropFirst(taken.count)
    guard prefix.count == coding.prefixSize else {
      stage = .fresh(prefix)
      return
    }
    let format = coding.format(of: prefix)
    if let problem = ccompression_load(format) {
      // A text of the library's owner, written once.
      throw .unavailable(coding, reason: String(cString: problem))
    }
    stream = ccompression_open(format)
    guard stream != nil else { throw .noMemory }
    stage = .inside
    try feed(prefix, next)
  }

  /// Looks whether one more stream begins behind the end of one.
  private func goOn(_ prefix: [UInt8], _ rest: inout Rest, _ next: Taking)
    throws(DecodingFailure)
  {
    var prefix = prefix
    while let byte = rest.popFirst() {
      prefix.append(byte)
      guard let follower = coding.followers.first(where: { $0.starts(with: prefix) }) else {
        stage = .over
        surplus += prefix.count
        return
      }
      guard follower.count == prefix.count else { continue }
      guard ccompression_restart(stream) else { throw .noMemory }
      stage = .inside
      return try feed(prefix, next)
    }
    stage = .ended(prefix)
  }

  private func feed(_ bytes: [UInt8], _ next: Taking) throws(DecodingFailure) {
    guard !bytes.isEmpty else { return }
    try bytes.withUnsafeBufferPointer { buffer throws(DecodingFailure) in
      var rest = buffer[...]
      try read(&rest, next)
    }
  }

  /// Decodes until all of `rest` is used or the stream ends.
  private func read(_ rest: inout Rest, _ next: Taking) throws(DecodingFailure) {
    while true {
      let input = UnsafeBufferPointer(rebasing: rest)
      var unread = input.count
      var room = output.count
      let result = ccompression_read(
        stream, input.baseAddress, &unread, output.baseAddress, &room)
      let written = output.count - room
      let isStuck = written == 0 && unread == input.count
      rest = rest.dropFirst(input.count - unread)
      if written > 0 { try next(UnsafeBufferPointer(rebasing: output[..<written])) }
      switch result {
      case CCOMPRESSION_ENDED:
        stage = .ended([])
        return
      case CCOMPRESSION_GOES_ON:
        // What fills the output may not be all that there is.
        if room == 0 { continue }
        if rest.isEmpty { return }
        if isStuck { throw .invalid(coding) }
      case CCOMPRESSION_NO_MEMORY: throw .noMemory
      default: throw .invalid(coding)
      }
    }
  }
}
