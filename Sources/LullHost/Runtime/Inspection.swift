import LullCore
import LullSystem

/// The state of an inspection, in which a file is loaded only to examine it. It provides stand-ins
/// for parts of the machine, and records which variables the file reads.
///
/// The stand-ins do not depend on the user: every secret has the same text, and environment
/// variables are either all unset or all set to the same value.
package final class Inspection {
  /// The limits for a file under inspection. They ensure that a check always ends.
  package static let limits = ScriptLimits(
    time: 5, instructions: 30_000_000, memory: 128 << 20)
  /// The limits for a file under inspection while the user waits for shell completion.
  package static let shortLimits = ScriptLimits(
    time: 2, instructions: 10_000_000, memory: 64 << 20)
  /// The maximum size of a file under inspection, in bytes.
  package static let sizeLimit = 4 << 20
  /// The text that every secret has during an inspection.
  static let secret = "secret"
  /// The maximum number of bytes of the file's output that are shown.
  private static let printLimit = 16 * 1024

  private let setsVariables: Bool
  private let isSilent: Bool
  private var printed = 0
  /// The names of the variables that the file has read, in the order of the first reads. Each name
  /// occurs once.
  package private(set) var variables: [String] = []

  /// Creates the state of an inspection.
  ///
  /// - Parameters:
  ///   - setsVariables: whether environment variables count as set.
  ///   - isSilent: whether the file's output is hidden.
  package init(setsVariables: Bool = false, isSilent: Bool = false) {
    self.setsVariables = setsVariables
    self.isSilent = isSilent
  }

  /// Returns whether an environment variable counts as set, and records that the file has read the
  /// variable.
  func sets(_ variable: String) -> Bool {
    if !variables.contains(variable) { variables.append(variable) }
    return setsVariables
  }

  /// Writes output of the file to standard error. Standard output is for the result of the
  /// inspection.
  func print(_ text: String) {
    guard !isSilent, printed <= Inspection.printLimit else { return }
    printed += text.utf8.count
    // Control characters are escaped, because the output is shown among the command's own
    // messages.
    let shown = ControlCharacters.shown(in: text)
    StandardError.write(printed <= Inspection.printLimit ? shown : "…\n")
  }
}
