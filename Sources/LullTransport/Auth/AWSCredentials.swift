import LullLibC
public import LullCore

/// Who signs for Amazon's services, and for which of them. Lua: what `lull.auth.aws_sigv4{…}` takes.
public struct AWSCredentials: Sendable, Equatable {
  /// Who signs; sent as it is.
  public var accessKey: SecretText
  /// What signatures are made with; never sent.
  public var secretKey: SecretText
  /// Of credentials that end some time.
  public var sessionToken: SecretText?
  /// As signatures call it, such as `s3`; nil: what the host is called.
  public var service: String?
  /// Such as `eu-central-1`; nil: the one that the host names, else, where the environment has the keys,
  /// the environment's.
  public var region: String?
  /// Whether bodies are signed; nil: all are, but those from files that go to S3 by TLS.
  public var signsBody: Bool?
  private var isOfEnvironment = false

  /// Credentials for whatever service and region the host of a request names.
  public init(accessKey: SecretText, secretKey: SecretText, sessionToken: SecretText? = nil) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
  }

  /// Those in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, with `AWS_SESSION_TOKEN` and `AWS_REGION`
  /// or `AWS_DEFAULT_REGION` if these are set; read for each request.
  public static var environment: AWSCredentials {
    var credentials = AWSCredentials(
      accessKey: SecretText(Secret(.environment("AWS_ACCESS_KEY_ID"))),
      secretKey: SecretText(Secret(.environment("AWS_SECRET_ACCESS_KEY"))))
    credentials.isOfEnvironment = true
    return credentials
  }

  /// The session token for a request that goes out now.
  var currentToken: SecretText? {
    let name = "AWS_SESSION_TOKEN"
    guard sessionToken == nil, isOfEnvironment, AWSCredentials.variable(name) != nil else {
      return sessionToken
    }
    return SecretText(Secret(.environment(name)))
  }

  var environmentRegion: String? {
    guard isOfEnvironment else { return nil }
    return AWSCredentials.variable("AWS_REGION") ?? AWSCredentials.variable("AWS_DEFAULT_REGION")
  }

  private static func variable(_ name: String) -> String? {
    // Copied before anybody can change the environment.
    let text = getenv(name).map { String(escapingCString: $0) }
    return text?.isEmpty == false ? text : nil
  }
}
