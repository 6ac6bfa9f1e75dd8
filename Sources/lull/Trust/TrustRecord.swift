import LullCore
import LullSystem
import LullTransport

/// The record of files that inspections may run without a sandbox. It contains the digests of these
/// files and of the files that they load. It is stored in a file that only its owner can read.
///
/// Behaviours: TRUST-01 to TRUST-11.
struct TrustRecord {
  /// The digests of files, keyed by file name with links resolved.
  typealias Digests = [String: String]

  /// For each trusted file, the digests of the file itself and of the files that it loads. The key
  /// is the trusted file.
  private(set) var files: [String: Digests] = [:]

  /// The maximum size of the record in bytes, enough for many thousand files.
  private static let limit = 16 << 20

  private static var file: TokenFile? {
    TokenFile.stateFolder.map {
      TokenFile($0 + "/trust.json", noun: "record of trust", limit: limit)
    }
  }

  /// Reads the record. The record is empty if its file does not exist.
  static func read() throws(TokenFile.Problem) -> TrustRecord {
    guard let file else { return TrustRecord() }
    return try TrustRecord(file)
  }

  /// Changes the record while it is locked against other processes.
  static func update(_ body: (inout TrustRecord) -> Void) throws(TokenFile.Problem) {
    guard let file else {
      throw TokenFile.Problem(
        message: "the record of trust cannot be stored: set HOME or XDG_STATE_HOME")
    }
    try file.locked { () throws(TokenFile.Problem) in
      var record = try TrustRecord(file)
      body(&record)
      try file.write(record.value)
    }
  }

  /// The digest of the bytes. `nil` if no implementation is available.
  static func digest(of bytes: [UInt8]) -> String? {
    bytes.withUnsafeBufferPointer { Digest.sha256.of($0) }.map { Hexadecimal.text($0) }
  }

  private init() {}

  private init(_ file: TokenFile) throws(TokenFile.Problem) {
    guard let root = try file.read()?.root else { return }
    guard root.kind == .object, let listed = root["files"], listed.kind == .object else {
      throw TokenFile.Problem(message: "the record of trust \(file.path) is damaged: delete it")
    }
    for (path, loads) in listed.pairs {
      var digests: Digests = [:]
      for (name, digest) in loads.pairs { digests[name] = digest.string }
      files[path] = digests
    }
  }

  private var value: JSONValue {
    let listed = files.sorted { $0.key < $1.key }.map { path, digests -> JSONValue.Member in
      let loads = digests.sorted { $0.key < $1.key }.map {
        JSONValue.Member($0.key, .string($0.value))
      }
      return JSONValue.Member(path, .object(loads))
    }
    return .object([JSONValue.Member("files", .object(listed))])
  }

  // MARK: Changing

  /// Trusts a file. If the file itself is unchanged, the files that it loaded earlier, such as in
  /// another environment, stay trusted.
  mutating func trust(_ path: String, _ digests: Digests) {
    let known = files[path].flatMap { $0[path] == digests[path] ? $0 : nil } ?? [:]
    files[path] = known.merging(digests) { $1 }
  }

  mutating func remove(_ path: String) { files[path] = nil }
}
