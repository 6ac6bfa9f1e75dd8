import LullLibC
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// Whether an API file may be run as it is where it is only looked at.
enum TrustDecision {
  /// Read once, at the first question.
  private static let record: Result<TrustRecord, TokenFile.Problem> = Result {
    () throws(TokenFile.Problem) in try TrustRecord.read()
  }

  /// Says why nothing is trusted, if the record cannot be used.
  static func tell() {
    guard case .failure(let problem) = record else { return }
    Exit.complain("lull: nothing is trusted: \(problem.message)\n")
  }

  /// What it loads comes through this gate; nil: it is looked at in the sandbox.
  static func gate(for path: String) -> LoadGate? {
    guard let real = FileName.resolved(path) else { return nil }
    if let folder = ownFolder(of: real) {
      return LoadGate(.own(folder: folder), path: path, real: real)
    }
    guard case .success(let record) = record, let digests = record.files[real] else { return nil }
    return LoadGate(.trusted(digests), path: path, real: real)
  }

  /// The folder of the user's configuration that a file is in, wherever links lead; nil if it is not, or
  /// if one of both belongs to somebody else.
  static func ownFolder(of real: String) -> String? {
    guard let own = APIFolder.own, let folder = FileName.resolved(FileName.folder(of: own.path)),
      folder != "/", real.hasPrefix(folder + "/"),
      [folder, real].allSatisfy({ belongsToUser($0) })
    else { return nil }
    return folder
  }

  private static func belongsToUser(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_uid == geteuid()
  }
}

/// What an API file loads that is only looked at, and is run as it is for that.
///
/// The bytes that are judged are those that run. With the first file that is against the rule there is no
/// more: what has come of the look is worth nothing then.
final class LoadGate: FileGate {
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
    switch TextFile.read(name, limit: LoadGate.largest) {
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
    guard let real else { return "loads '\(shown)', whose name is not valid UTF-8" }
    guard let digest = TrustRecord.digest(of: bytes) else {
      return "cannot be identified: SHA-256 needs libcrypto.so.3 (libssl3)"
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
      if case .trusted = rule { "; 'lull trust \(path)' trusts it in its current state" } else {
        ""
      }
    return "\(refusal): it was looked at in the sandbox\(remedy)"
  }
}
