import LullLibC
import LullCore
import LullSystem

/// Reads the source code of scripts from files, as the stock interpreter does.
package enum SourceFile {
  package struct Unreadable: Error {
    package let name: String
    package let reason: String

    package init(name: String, reason: String) {
      self.name = name
      self.reason = reason
    }
  }

  /// Returns the bytes of a file.
  ///
  /// - Parameter limit: The maximum number of bytes. A larger file is an error.
  package static func read(_ path: [UInt8], limit: Int = .max) throws(Unreadable) -> [UInt8] {
    let name = String(escaping: path)
    let descriptor = (path + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { start in
        start.baseAddress.map { open($0, O_RDONLY | O_CLOEXEC) } ?? -1
      }
    }
    guard descriptor >= 0 else { throw unreadable(name) }
    defer { close(descriptor) }
    return try read(descriptor, name: name, limit: limit)
  }

  package static func read(
    _ descriptor: Int32, name: String, limit: Int = .max
  ) throws(Unreadable) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = LullLibC.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(name) }
      guard count > 0 else { return bytes }
      guard count <= limit - bytes.count else {
        throw Unreadable(name: name, reason: "it is larger than \(limit >> 20) MB")
      }
      bytes += buffer[..<count]
    }
  }

  private static func unreadable(_ name: String) -> Unreadable {
    Unreadable(name: name, reason: ErrorText.of(errno))
  }

  package static func folder(of path: [UInt8]) -> [UInt8] {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return Array(".".utf8) }
    return slash == 0 ? Array("/".utf8) : Array(path[..<slash])
  }
}
