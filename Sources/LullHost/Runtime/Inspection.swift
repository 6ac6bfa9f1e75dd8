import LullCore
import LullSystem

/// A file that is only looked at: what it is given in place of the machine, and what it asked for.
///
/// Nothing that it may reach depends on who looks: secrets have no text, variables of the environment are
/// all unset, or all the same.
package final class Inspection {
  /// How long a file may take, and how much of the rest: a check must come to its end.
  package static let limits = ScriptLimits(
    time: 5, instructions: 30_000_000, memory: 128 << 20)
  /// The same where somebody waits for words to be completed.
  package static let shortLimits = ScriptLimits(
    time: 2, instructions: 10_000_000, memory: 64 << 20)
  /// How large a file may be, in bytes.
  package static let sizeLimit = 4 << 20
  /// What a secret's text is.
  static let secret = "secret"
  /// What is shown of what a file prints, in bytes.
  private static let printLimit = 16 * 1024

  private let setsVariables: Bool
  private let isSilent: Bool
  private var printed = 0
  /// The variables it has asked for, each once, in order.
  package private(set) var variables: [String] = []

  /// - Parameters:
  ///   - setsVariables: whether those of the environment count as set.
  ///   - isSilent: whether nothing is shown of what it prints.
  package init(setsVariables: Bool = false, isSilent: Bool = false) {
    self.setsVariables = setsVariables
    self.isSilent = isSilent
  }

  /// Whether a variable counts as set; it is taken note of.
  func sets(_ variable: String) -> Bool {
    if !variables.contains(variable) { variables.append(variable) }
    return setsVariables
  }

  /// What it prints is no result of looking at it.
  func print(_ text: String) {
    guard !isSilent, printed <= Inspection.printLimit else { return }
    printed += text.utf8.count
    // It is no result of the file's, but a part of what a command tells of it.
    let shown = ControlCharacters.shown(in: text)
    StandardError.write(printed <= Inspection.printLimit ? shown : "…\n")
  }
}
