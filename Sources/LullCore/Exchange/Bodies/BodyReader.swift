import LullSystem

/// Reads a streamed body once, from its beginning.
///
/// Each file in the body must be unchanged since the request was made. The reader checks the files
/// before it reads the first byte, and again before it returns the last bytes. A server therefore
/// never receives a complete body with a changed file. Reads are synchronous and usually come from
/// the system's file cache. One file is open at a time. Not thread-safe.
package final class BodyReader {
  private let body: StreamedBody
  private var piece = 0
  /// The position within the current piece of the body.
  private var offset = 0
  private var file: ReadableFile?
  private var rest: Int
  /// The error that stopped reading, if any.
  package private(set) var failure: TransportError?

  package init(_ body: StreamedBody) throws(TransportError) {
    self.body = body
    rest = body.byteCount
    try check(isGoneAllowed: false)
  }

  /// Fills the buffer with the next bytes of the body, as far as there are any. Returns the number
  /// of bytes read, 0 at the end of the body, or nil after a failure.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard failure == nil else { return nil }
    do throws(TransportError) {
      var count = 0
      while count < buffer.count, piece < body.pieces.count {
        count += try readPiece(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      }
      rest -= count
      if rest == 0, count > 0 { try check(isGoneAllowed: true) }
      return count
    } catch {
      failure = error
      file = nil
      return nil
    }
  }

  /// Continues reading at `position`, in bytes from the beginning of the body. Returns false if the
  /// position is invalid or reading has failed.
  package func seek(to position: Int) -> Bool {
    guard failure == nil, (0...body.byteCount).contains(position) else { return false }
    file = nil
    piece = 0
    offset = position
    rest = body.byteCount - position
    while piece < body.pieces.count, offset >= size(of: body.pieces[piece]) {
      offset -= size(of: body.pieces[piece])
      piece += 1
    }
    return true
  }

  private func size(of piece: StreamedBody.Piece) -> Int {
    switch piece {
    case .bytes(let bytes), .secret(_, shown: let bytes): bytes.count
    case .file(_, let stamp): stamp.size
    }
  }

  /// Reads from the current piece of the body into the buffer. When the piece ends, moves to the
  /// next piece.
  private func readPiece(_ buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
    let count: Int
    switch body.pieces[piece] {
    case .bytes(let bytes), .secret(_, shown: let bytes):
      count = min(buffer.count, bytes.count - offset)
      buffer.copyBytes(from: bytes[offset..<(offset + count)])
      offset += count
      if offset == bytes.count { (piece, offset) = (piece + 1, 0) }
    case .file(let upload, let stamp):
      let file = try opened(upload, stamp)
      let wanted = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<min(buffer.count, stamp.size - offset)])
      do throws(ReadableFile.Unreadable) {
        count = wanted.isEmpty ? 0 : try file.read(into: wanted, at: offset)
      } catch {
        throw upload.unavailable(error.reason)
      }
      offset += count
      guard offset < stamp.size else {
        guard file.currentStamp == stamp else { throw upload.changed }
        (piece, offset) = (piece + 1, 0)
        self.file = nil
        return count
      }
      guard count > 0 else { throw upload.endedEarly(at: offset, of: stamp.size) }
    }
    return count
  }

  private func opened(
    _ upload: UploadFile, _ stamp: FileStamp
  ) throws(TransportError) -> ReadableFile {
    if let file { return file }
    let file = try upload.open()
    guard file.stamp == stamp else { throw upload.changed }
    self.file = file
    return file
  }

  /// Throws an error if a file has changed. If `isGoneAllowed` is true, a file that was removed is
  /// not an error, because sending has begun.
  private func check(isGoneAllowed: Bool) throws(TransportError) {
    for case .file(let file, let stamp) in body.pieces {
      guard let now = FileStamp.of(file.path.bytes) else {
        if isGoneAllowed { continue }
        // Opening the file again gives the system's error text.
        _ = try file.open()
        throw file.changed
      }
      guard now == stamp else { throw file.changed }
    }
  }
}
