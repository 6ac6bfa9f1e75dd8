import LullLibC
import LullClients
import LullCore
import LullSystem
import LullTransport

/// Whether an API file may be run as it is where it is only looked at.
enum LookLeave {
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
  static func gate(for path: String) -> LookGate? {
    guard let real = FileName.resolved(path) else { return nil }
    if let folder = ownFolder(of: real) {
      return LookGate(.own(folder: folder), path: path, real: real)
    }
    guard case .success(let record) = record, let digests = record.files[real] else { return nil }
    return LookGate(.trusted(digests), path: path, real: real)
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
