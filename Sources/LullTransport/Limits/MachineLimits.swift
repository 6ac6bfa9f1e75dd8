package import LullCore
import LullSystem

/// Limits that all processes of this user on this machine count together, in one file. Home thread
/// only.
///
/// Without a usable file, the limits apply only within this process, after a warning.
package final class MachineLimits: LimitSource {
  private unowned let pump: Pump
  private let givenPath: String?
  private let memory: LoopLimits
  private lazy var store = path.map { LimitStore.shared(at: $0) }

  /// - Parameter path: The path of the file; nil for `lull/limits.db` in `$XDG_STATE_HOME`, or in
  ///   `~/.local/state`.
  package init(_ pump: Pump, path: String? = nil) {
    self.pump = pump
    givenPath = path
    memory = LoopLimits(pump)
  }

  /// The default path of the file; nil without a home folder.
  package static var standardPath: String? { TokenFile.stateFolder.map { $0 + "/limits.db" } }

  /// The path of the file; nil without a home folder.
  var filePath: String? { (givenPath ?? MachineLimits.standardPath).map(CacheFolder.absolute) }

  private var path: String? {
    if let path = filePath { return path }
    CacheStore.warn(
      "limits are shared only within this process: neither XDG_STATE_HOME nor HOME names a folder")
    return nil
  }

  package func identity(of credentials: [(name: String, value: SecretText)]) -> [UInt8] {
    let text = SecretIdentity.text(of: credentials)
    return text.isEmpty ? [] : Digest.sha256.of("limit\n" + text) ?? []
  }

  package func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog {
    guard let store else { return memory.makeLog(of: limit, key) }
    return FileAdmissionLog(limit, key, store, pump) { [memory] in memory.makeLog(of: limit, key) }
  }

  /// Counts admissions that were sent but were not granted by this machine. Each admission has a
  /// negative ID, and is counted once.
  ///
  /// - Parameter sent: The IDs of the admissions, and the times when they were sent, by `BootTime`.
  func note(_ sent: [(number: Int64, time: Double)], of key: LimitKey) {
    guard !sent.isEmpty, let store else { return }
    store.submit(to: pump.workers) { file in
      _ = file.change(waiting: true) { (tables) throws(SQLiteError) in
        for (number, time) in sent {
          try tables.send(Admission(number: number), of: key, now: time)
        }
      }
    }
  }
}
