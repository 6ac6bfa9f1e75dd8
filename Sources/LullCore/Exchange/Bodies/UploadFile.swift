import LullSystem

/// A file that is to be sent, read from the disk while it goes out. Lua: `lull.file(path)`.
///
/// Nothing is looked at before a request is made with it: then it has to be a regular file that can be
/// read, and from then on it must stay as it is.
public struct UploadFile: Sendable, Equatable {
  /// Bytes, as names of files are.
  public let path: ByteString
  /// What the receiver is told that it is called, without folders.
  public let name: ByteString
  /// What the receiver is told that it holds.
  public let contentType: String

  /// - Parameters:
  ///   - name: nil: the last part of the path.
  ///   - contentType: nil: the usual one for the ending of the name, else `application/octet-stream`.
  public init(_ path: ByteString, name: String? = nil, contentType: String? = nil) {
    self.path = path
    let last = path.bytes.split(separator: UInt8(ascii: "/")).last ?? []
    self.name = name.map { ByteString($0) } ?? ByteString(last)
    self.contentType = contentType ?? FileTypes.type(ofName: self.name.bytes)
  }

  /// As messages call it.
  package var shown: String { "'\(LogText.part(path.description))'" }

  /// What it is now, once it is known that it can be read.
  func look() throws(TransportError) -> FileStamp {
    let file = try open()
    guard file.stamp.size == 0 else { return file.stamp }
    // Files of /proc say that they are empty: as a body they would be.
    var byte: UInt8 = 0
    let count: Int
    do throws(ReadableFile.Unreadable) {
      count = try withUnsafeMutableBytes(of: &byte) { bytes throws(ReadableFile.Unreadable) in
        try file.read(into: bytes, at: 0)
      }
    } catch {
      throw unavailable(error.reason)
    }
    guard count == 0 else { throw unavailable("the system does not say how large it is") }
    return file.stamp
  }

  func open() throws(TransportError) -> ReadableFile {
    do throws(ReadableFile.Unreadable) {
      return try ReadableFile(path.bytes)
    } catch {
      throw unavailable(error.reason)
    }
  }

  /// Its content from the beginning, part by part.
  package func parts() throws(TransportError) -> Parts { Parts(self, try open()) }

  /// The parts of a file, each read when it is asked for.
  package final class Parts {
    private static let size = 1 << 17
    private let owner: UploadFile
    private let file: ReadableFile
    private var offset = 0

    fileprivate init(_ owner: UploadFile, _ file: ReadableFile) {
      self.owner = owner
      self.file = file
    }

    /// nil at its end.
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

  /// It is not what it was when the request was made.
  var changed: TransportError {
    .final(.fileChanged, "\(shown) has changed since the request that sends it was made")
  }

  /// It has fewer bytes than it had.
  func endedEarly(at offset: Int, of size: Int) -> TransportError {
    .final(.fileChanged, "\(shown) ended while it was sent, after \(offset) of \(size) bytes")
  }
}
