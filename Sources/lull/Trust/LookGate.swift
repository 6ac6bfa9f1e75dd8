import LullCore
import LullHost
import LullSystem

/// What an API file loads that is only looked at, and is run as it is for that.
///
/// The bytes that are judged are those that run. With the first file that is against the rule there is no
/// more: what has come of the look is worth nothing then.
final class LookGate: FileGate {
  enum Rule {
    /// Files below a folder; others by a path from the root only, as those of the system are.
    case own(folder: String)
    /// Files with these digests.
    case trusted(TrustRecord.Digests)
    /// All of them, of which a list is made.
    case recording
  }

  /// More than that is no file of Lua, and no library.
  static let largest = 64 << 20

  private let rule: Rule
  /// The API file, as messages name it, and without links.
  private let path: String
  private let real: String
  /// The digests of what was loaded, if they are recorded.
  private(set) var digests: TrustRecord.Digests = [:]
  /// What was against the rule, as a sentence about the API file.
  private(set) var refusal: String?

  init(_ rule: Rule, path: String, real: String) {
    self.rule = rule
    self.path = path
    self.real = real
  }

  func bytes(ofFile name: [UInt8]) -> Result<[UInt8], FileGateProblem> {
    if let refusal { return .failure(FileGateProblem(message: Array(refusal.utf8))) }
    switch TextFile.read(name, limit: LookGate.largest) {
    case .failure(let problem):
      return .failure(FileGateProblem(message: Array("cannot read ".utf8) + problem.message))
    case .success(let bytes):
      refusal = objection(to: name, bytes)
      guard let refusal else { return .success(bytes) }
      return .failure(FileGateProblem(message: Array(refusal.utf8)))
    }
  }

  private func objection(to name: [UInt8], _ bytes: [UInt8]) -> String? {
    let shown = String(escaping: name)
    // Whatever it is called when it is read: what counts is that these bytes are to be run under a name.
    let real = FileName.resolved(name).flatMap { String(validating: $0, as: UTF8.self) }
    if case .own(let folder) = rule {
      if let real, real.hasPrefix(folder + "/") { return nil }
      if shown.hasPrefix("/") { return nil }
      return "loads '\(shown)', which is not in your configuration folder"
    }
    guard let real else { return "loads '\(shown)', whose name is no text" }
    guard let digest = TrustRecord.digest(of: bytes) else {
      return "cannot be told from others: SHA-256 needs libcrypto.so.3 (libssl3)"
    }
    guard case .trusted(let known) = rule else {
      digests[real] = digest
      return nil
    }
    if known[real] == digest { return nil }
    if real == self.real { return "has changed since it was trusted" }
    return known[real] == nil
      ? "loads '\(shown)', which it did not when it was trusted"
      : "loads '\(shown)', which has changed since it was trusted"
  }

  /// What is to be said where it was looked at in the sandbox instead; nil if it was not.
  var note: String? {
    guard let refusal else { return nil }
    let remedy =
      if case .trusted = rule { "; 'lull trust \(path)' trusts it as it is now" } else { "" }
    return "\(refusal): it was looked at in the sandbox\(remedy)"
  }
}
