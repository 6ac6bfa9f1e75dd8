import CLullBridge
import LullCore
import LullSystem

/// Decides which Lua and C files a script may load. The gate returns the bytes that are run, so
/// that the file is not read a second time after the decision.
///
/// Home thread only.
package protocol FileGate: AnyObject {
  /// Returns the bytes of a file that is about to be loaded, or the reason why it may not be
  /// loaded.
  func bytes(ofFile path: [UInt8]) -> Result<[UInt8], FileGateProblem>
}

/// The reason why a file may not be loaded, as shown to the script. The message is bytes, because
/// file names need not be valid UTF-8.
package struct FileGateProblem: Error {
  package let message: [UInt8]

  package init(message: [UInt8]) { self.message = message }
}

extension Permissions {
  /// Returns the bytes of a file that is to be loaded. If there is a gate, the gate provides the
  /// bytes.
  ///
  /// - Parameter limit: the maximum size in bytes, which applies only if there is no gate.
  package func load(_ path: [UInt8], limit: Int) -> Result<[UInt8], FileGateProblem> {
    if let gate { return gate.bytes(ofFile: path) }
    return TextFile.read(path, limit: limit).mapError { FileGateProblem(message: $0.message) }
  }
}
