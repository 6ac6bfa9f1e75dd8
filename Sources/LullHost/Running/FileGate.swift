import CLullBridge
import LullCore
import LullSystem

/// Decides which Lua and C files a script may load, and provides the bytes that are run. The file
/// is not read a second time.
///
/// Home thread only.
package protocol FileGate: AnyObject {
  /// Returns the bytes of a file that is about to be loaded, or why it may not be.
  func bytes(ofFile path: [UInt8]) -> Result<[UInt8], FileGateProblem>
}

/// The reason a file is not loaded, as shown to the script. The message is bytes, because file
/// names are.
package struct FileGateProblem: Error {
  package let message: [UInt8]

  package init(message: [UInt8]) { self.message = message }
}

extension Permissions {
  /// Returns the bytes of a file that is to be loaded.
  ///
  /// - Parameter limit: the maximum size if there is no gate.
  package func load(_ path: [UInt8], limit: Int) -> Result<[UInt8], FileGateProblem> {
    if let gate { return gate.bytes(ofFile: path) }
    return TextFile.read(path, limit: limit).mapError { FileGateProblem(message: $0.message) }
  }
}
