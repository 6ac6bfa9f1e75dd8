import LullCore
import LullSystem

/// The state of a load that only inspects a file: stand-ins for the machine, and a record of what
/// the file requested.
///
/// The stand-ins do not depend on the user: secrets have no text, and environment variables are all
/// unset or all have the same value.
package final class Inspection {
  /// The limits of an inspected file, so that a check always ends.
  package static let limits = ScriptLimits(
    time: 5, instructions: 30_000_000, memory: 128 << 20)
  /// The limits of an inspected file while the user waits for shell completion.
  package static let shortLimits = ScriptLimits(
    time: 2, instructions: 10_000_000, memory: 64 << 20)
  /// The maximum size of a file in bytes.
  package static let sizeLimit = 4 << 20
  /// The text of every secret.
  static let secret = "secret"
  /// The maximum number of bytes shown of the file's output.
  private static let printLimit = 16 * 1024

  private let setsVariables: Bool
  private let isSilent: Bool
  private var printed = 0
  /// The variables that the file requested, each once, in order.
  package private(set) var variables: [String] = []

  /// - Parameters:
  ///   - setsVariables: whether environment variables count as set.
  ///   - isSilent: whether the file's output is hidden.
  package init(setsVariables: Bool = false, isSilent: Bool = false) {
    self.setsVariables = setsVariables
    self.isSilent = isSilent
  }

  /// Returns whether a variable counts as set, and records the request.
  func sets(_ variable: String) -> Bool {
    if !variables.contains(variable) { variables.append(variable) }
    return setsVariables
  }

  /// Writes the file's output to standard error, because it is not part of the inspection's result.
  func print(_ text: String) {
    guard !isSilent, printed <= Inspection.printLimit else { return }
    printed += text.utf8.count
    // Control characters are escaped, because the output is shown among the command's own
    // messages.
    let shown = ControlCharacters.shown(in: text)
    StandardError.write(printed <= Inspection.printLimit ? shown : "…\n")
  }
}
