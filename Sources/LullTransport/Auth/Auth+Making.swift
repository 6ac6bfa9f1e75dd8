public import LullCore

/// The ways to prove who sends a request that the network has a part in.
extension Auth {
  /// Digest authentication (RFC 7616): MD5, SHA-256 and SHA-512-256, whole bodies too where the server
  /// wants that.
  ///
  /// The first request is sent twice: its answer says what to sign. Lua: `lull.auth.digest(user, password)`.
  public static func digest(user: SecretText, password: SecretText) -> Auth {
    let stage = DigestAuth(user: user, password: password)
    return Auth(
      stage: stage, identity: SecretText("digest ") + user + SecretText(" ") + password,
      shown: stage.shown, login: .digest(user: user.masked))
  }

  /// Signatures for Amazon's services, and for those that work like them. Lua: `lull.auth.aws_sigv4{…}`.
  public static func awsSignature(_ credentials: AWSCredentials) -> Auth {
    let stage = AWSAuth(credentials)
    return Auth(
      stage: stage, identity: stage.identity, shown: stage.shown,
      login: .signature(
        service: credentials.service, region: credentials.region,
        accessKey: credentials.accessKey.masked))
  }

  /// User and password from a netrc file that nobody else may read, by the host that is asked.
  ///
  /// - Parameters:
  ///   - path: nil: what the variable `NETRC` names, else `~/.netrc`.
  ///   - login: the name to log in with, where there are several for a host.
  ///   - isOptional: whether a host of which the file has nothing is asked without; else that fails.
  ///
  /// Lua: `lull.auth.netrc{…}`.
  public static func netrc(
    _ path: String? = nil, login: String? = nil, isOptional: Bool = false
  ) -> Auth {
    let stage = NetrcAuth(
      NetrcAuth.Settings(path: path, login: login, isOptional: isOptional))
    return Auth(
      stage: stage, identity: stage.identity, shown: stage.shown,
      login: .netrc(path: path, isOptional: isOptional))
  }
}
