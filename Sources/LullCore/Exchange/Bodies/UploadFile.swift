import LullSystem

/// A file to send, read from the disk during the upload. Lua: `lull.file(path)`.
///
/// The file is not inspected until a request is made with it. From then until the file is sent, it
/// must be a readable regular file and must not change.
public struct UploadFile: Sendable, Equatable {
  /// The path, as bytes.
  public let path: ByteString
  /// The file name sent to the receiver, without folders.
  public let name: ByteString
  /// The content type sent to the receiver.
  public let contentType: String

  /// Describes a file to send.
  ///
  /// - Parameters:
  ///   - name: The file name sent to the receiver. If nil, the last component of the path.
  ///   - contentType: The content type sent to the receiver. If nil, the usual type for the file
  ///     extension, or `application/octet-stream` if the extension is unknown.
  public init(_ path: ByteString, name: String? = nil, contentType: String? = nil) {
    self.path = path
    let last = path.bytes.split(separator: UInt8(ascii: "/")).last ?? []
    self.name = name.map { ByteString($0) } ?? ByteString(last)
    self.contentType = contentType ?? FileTypes.type(ofName: self.name.bytes)
  }

  /// The path, quoted for use in messages.
  package var shown: String { "'\(LogText.part(path.description))'" }

  /// Checks that the file can be read, and returns its current state.
  func look() throws(TransportError) -> FileStamp {
    let file = try open()
    guard file.stamp.size == 0 else { return file.stamp }
    // Files in /proc report size 0 although they have content. Their bodies would be empty.
    var byte: UInt8 = 0
    let count: Int
    do throws(ReadableFile.Unreadable) {
      count = try withUnsafeMutableBytes(of: &byte) { bytes throws(ReadableFile.Unreadable) in
        try file.read(into: bytes, at: 0)
      }
    } catch {
      throw unavailable(error.reason)
    }
    guard count == 0 else { throw unavailable("its size is unknown") }
    return file.stamp
  }

  func open() throws(TransportError) -> ReadableFile {
    do throws(ReadableFile.Unreadable) {
      return try ReadableFile(path.bytes)
    } catch {
      throw unavailable(error.reason)
    }
  }

  /// The content of the file as a series of chunks, from the beginning.
  package func parts() throws(TransportError) -> Parts { Parts(self, try open()) }

  /// Reads a file in chunks. Each chunk is read when `next` is called.
  package final class Parts {
    private static let size = 1 << 17
    private let owner: UploadFile
    private let file: ReadableFile
    private var offset = 0

    fileprivate init(_ owner: UploadFile, _ file: ReadableFile) {
      self.owner = owner
      self.file = file
    }

    /// Returns the next chunk; nil at the end of the file.
    package func next() throws(TransportError) -> [UInt8]? {
      var part = [UInt8](repeating: 0, count: Parts.size)
      let read = part.withUnsafeMutableBytes { bytes in
        Result { () throws(ReadableFile.Unreadable) in try file.read(into: bytes, at: offset) }
      }
      switch read {
      case .failure(let problem): throw owner.unavailable(problem.reason)
      case .success(0): return nil
      case .success(let count):
        offset += count
        part.removeLast(part.count - count)
        return part
      }
    }
  }

  func unavailable(_ reason: String) -> TransportError {
    .final(.fileUnavailable, "cannot read \(shown): \(reason)")
  }

  /// The error for a file that has changed since the request was made.
  var changed: TransportError {
    .final(.fileChanged, "\(shown) has changed since its request was made")
  }

  /// The error for a file that has fewer bytes than when the request was made.
  func endedEarly(at offset: Int, of size: Int) -> TransportError {
    .final(.fileChanged, "\(shown) ended while it was being sent, after \(offset) of \(size) bytes")
  }
}
