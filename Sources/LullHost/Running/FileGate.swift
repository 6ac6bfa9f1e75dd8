import CLullBridge
import LullCore
import LullSystem

/// Who says which files of Lua and C a script may load, and hands over the bytes that are run then: nobody
/// reads the file a second time.
///
/// Home thread only.
package protocol FileGate: AnyObject {
  /// The bytes of a file that is about to be loaded, or why there are none.
  func bytes(ofFile path: [UInt8]) -> Result<[UInt8], FileGateProblem>
}

/// Why a file is not loaded, as it is told to the script: bytes, as names of files are.
package struct FileGateProblem: Error {
  package let message: [UInt8]

  package init(message: [UInt8]) { self.message = message }
}

extension Permissions {
  /// The bytes of a file that is to be loaded.
  ///
  /// - Parameter limit: how large it may be where nobody else says so.
  package func load(_ path: [UInt8], limit: Int) -> Result<[UInt8], FileGateProblem> {
    if let gate { return gate.bytes(ofFile: path) }
    return TextFile.read(path, limit: limit).mapError { FileGateProblem(message: $0.message) }
  }
}
