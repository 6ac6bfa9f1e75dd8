import LullLibC
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// Decides whether an inspection may run an API file without a sandbox.
enum TrustDecision {
  /// The user's record of trusted files. It is read once, on first use.
  private static let record: Result<TrustRecord, TokenFile.Problem> = Result {
    () throws(TokenFile.Problem) in try TrustRecord.read()
  }

  /// If the record can't be used, reports why no file is trusted.
  static func tell() {
    guard case .failure(let problem) = record else { return }
    Exit.complain("lull: nothing is trusted: \(problem.message)\n")
  }

  /// A gate that checks every file that the inspection loads. `nil` if the API file must be
  /// inspected in the sandbox instead.
  static func gate(for path: String) -> LoadGate? {
    guard let real = FileName.resolved(path) else { return nil }
    if let folder = ownFolder(of: real) {
      return LoadGate(.own(folder: folder), path: path, real: real)
    }
    guard case .success(let record) = record, let digests = record.files[real] else { return nil }
    return LoadGate(.trusted(digests), path: path, real: real)
  }

  /// The user's configuration folder, if it contains the file after links are resolved and if the
  /// user owns both. Otherwise `nil`.
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

/// Checks the files that an API file loads when an inspection runs it without a sandbox.
///
/// The bytes of a file that are checked are also the bytes that run. If a file violates the rule,
/// the inspection ends and its result is discarded.
final class LoadGate: FileGate {
  enum Rule {
    /// Allows files below a folder. Files elsewhere, such as those of the system, must be named by
    /// an absolute path.
    case own(folder: String)
    /// Allows files with these digests.
    case trusted(TrustRecord.Digests)
    /// Allows all files and records them.
    case recording
  }

  /// The maximum size of a loaded file in bytes. No Lua file or library is larger.
  static let largest = 64 << 20

  private let rule: Rule
  /// The path of the API file as shown in messages. `real` is the same path with links resolved.
  private let path: String
  private let real: String
  /// The digests of the loaded files, if they are recorded.
  private(set) var digests: TrustRecord.Digests = [:]
  /// The violation of the rule, as a sentence about the API file.
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
    // Compare the resolved names: which name a file is loaded by does not matter, only that it has
    // these bytes.
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
      ? "loads '\(shown)', which it did not load when it was trusted"
      : "loads '\(shown)', which has changed since it was trusted"
  }

  /// The note that the file was inspected in the sandbox instead. `nil` if the gate refused
  /// nothing.
  var note: String? {
    guard let refusal else { return nil }
    let remedy =
      if case .trusted = rule { "; 'lull trust \(path)' trusts the file in its current state" } else
      {
        ""
      }
    return "\(refusal): the file was inspected in the sandbox\(remedy)"
  }
}
