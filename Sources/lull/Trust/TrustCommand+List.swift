import LullCore
import LullHost
import LullTransport

extension TrustCommand {
  func remove() throws(TokenFile.Problem) -> Int32 {
    var removed: [String] = []
    var code: Int32 = 0
    let words = words
    try TrustRecord.update { record in
      for word in words {
        let target = TrustTarget(word)
        let meant = record.files.keys.filter(target.covers).sorted()
        if meant.isEmpty {
          Exit.complain("lull: nothing of '\(word)' is trusted\n")
          code = 1
        }
        for path in meant { record.remove(path) }
        removed += meant
      }
    }
    _ = Output.write(removed.map { "trusted no more: \($0)\n" }.joined())
    return code
  }

  func list(_ format: OutputFormat) throws(TokenFile.Problem) -> Int32 {
    let record = try TrustRecord.read()
    if record.files.isEmpty { Exit.complain("lull: nothing is trusted\n") }
    let rows = record.files.sorted { $0.key < $1.key }.map { path, digests -> JSONValue in
      .object([
        .init("path", .string(path)), .init("loads", .int(digests.count - 1)),
        .init("state", .string(TrustCommand.state(of: digests))),
      ])
    }
    guard let bytes = try? JSONValue.array(rows).encode() else { return 1 }
    let text = ContentText(format: format, columns: [], style: .forStandardOutput())
    _ = Output.write(text.bytes(of: JSONText(valid: bytes)))
    return 0
  }

  /// What has become of the files since they were trusted, in words.
  private static func state(of digests: TrustRecord.Digests) -> String {
    for (path, digest) in digests.sorted(by: { $0.key < $1.key }) {
      switch TextFile.read(Array(path.utf8), limit: LookGate.largest) {
      case .failure: return "gone: \(path)"
      case .success(let bytes):
        if TrustRecord.digest(of: bytes) != digest { return "changed: \(path)" }
      }
    }
    return "trusted"
  }
}
