import CLullBridge
import LullCore
import LullTransport

/// Reads credentials from a netrc file or from the environment.
extension CredentialReader {
  static let netrcKeys = ["path", "login", "optional"]
  static let awsKeys = [
    "access_key", "secret_key", "session_token", "service", "region", "env", "unsigned_payload",
  ]

  /// Implements `lull.auth.netrc()` and `lull.auth.netrc{ path =, login =, optional = }`.
  func netrc(table: Int32?, in state: OpaquePointer?) throws(Misuse) -> Auth {
    guard !permissions.isSandboxed || permissions.isInspecting else {
      throw .message("lull.auth.netrc is not available in the sandbox")
    }
    var path: String?
    var login: String?
    var isOptional = false
    if let table {
      try options.forEach(of: table, in: state, known: CredentialReader.netrcKeys) {
        name, value throws(Misuse) in
        switch name {
        case "path": path = try value.nonEmptyText(name)
        case "login": login = try value.nonEmptyText(name)
        default: isOptional = try value.flag(name)
        }
      }
    }
    guard permissions.isInspecting else {
      return .netrc(path, login: login, isOptional: isOptional)
    }
    return .basic(
      user: login ?? "",
      password: CredentialReader.standIn("netrc", for: .file("\(path ?? "") \(isOptional)")))
  }

  /// Implements `lull.auth.aws_sigv4{ access_key =, secret_key = }` and `lull.auth.aws_sigv4{ env =
  /// true }`.
  func aws(table: Int32, in state: OpaquePointer?) throws(Misuse) -> Auth {
    var keys: [String: SecretText] = [:]
    var texts: [String: String] = [:]
    var isOfEnvironment = false
    var isUnsigned: Bool?
    try options.forEach(of: table, in: state, known: CredentialReader.awsKeys) {
      name, value throws(Misuse) in
      switch name {
      case "env": isOfEnvironment = try value.flag(name)
      case "unsigned_payload": isUnsigned = try value.flag(name)
      case "service", "region":
        let text = try value.nonEmptyText(name)
        guard text.utf8.allSatisfy(CredentialReader.isScopeByte) else {
          throw .message("'\(name)' must be made of letters, digits, '-' and '_'")
        }
        texts[name] = text
      default: keys[name] = try credential(value, option: name)
      }
    }
    var credentials = try self.credentials(keys, isOfEnvironment: isOfEnvironment)
    credentials.service = texts["service"]
    credentials.region = texts["region"]
    credentials.signsBody = isUnsigned.map { !$0 }
    return .awsSignature(credentials)
  }

  private func credentials(
    _ keys: [String: SecretText], isOfEnvironment: Bool
  ) throws(Misuse) -> AWSCredentials {
    guard isOfEnvironment else {
      guard let accessKey = keys["access_key"], let secretKey = keys["secret_key"] else {
        let missing = keys["access_key"] == nil ? "access_key" : "secret_key"
        throw .message("'\(missing)' is required, or env = true to read it from the environment")
      }
      return AWSCredentials(
        accessKey: accessKey, secretKey: secretKey, sessionToken: keys["session_token"])
    }
    if let name = keys.keys.min() {
      throw .message("either env = true or '\(name)', not both")
    }
    guard !permissions.isSandboxed || permissions.isInspecting else {
      throw .message("'env' is not available in the sandbox")
    }
    // During an inspection, no credentials are read.
    return permissions.isInspecting
      ? AWSCredentials(
        accessKey: CredentialReader.standIn("AWS_ACCESS_KEY_ID"),
        secretKey: CredentialReader.standIn("AWS_SECRET_ACCESS_KEY"))
      : .environment
  }

  private static func standIn(_ name: String, for meant: Secret.Source? = nil) -> SecretText {
    SecretText(
      Secret(standingFor: meant ?? .environment(name), literal: Inspection.secret, name: name))
  }

  private static func isScopeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
