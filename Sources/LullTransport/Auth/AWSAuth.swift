public import LullCore
import LullLibC

/// Amazon's Signature Version 4: each request is signed with a key derived from the secret key.
///
/// Each time a request is sent, it is signed again completely, with the current time. Files that
/// are part of the body are read before that, except where S3 accepts TLS instead of a signed body.
/// If the service rejects a request and the service's clock differs from this machine's clock, this
/// request and all later requests are signed with the service's time. Home thread only. Lua:
/// `lull.auth.aws_sigv4{…}`.
///
/// Behaviours: AWS-01 to AWS-09.
final class AWSAuth: AuthStage {
  private let settings: AWSCredentials
  /// The number of seconds by which a server's clock is ahead of this machine's clock, by origin.
  /// Contains only the origins whose service has rejected a request because of the difference.
  private var offsets: [String: Double] = [:]

  init(_ settings: AWSCredentials) { self.settings = settings }

  /// The text that is shown in place of the `Authorization` header.
  var shown: String { "\(AWSSignature.algorithm) \(settings.secretKey.masked)" }

  var fingerprint: Int {
    var hasher = Hasher()
    hasher.combine(settings.sessionToken)
    hasher.combine(settings.signsBody)
    return hasher.finalize()
  }

  /// The identity of the requester: service, region, access key and secret key.
  var identity: SecretText {
    SecretText("aws \(settings.service ?? "") \(settings.region ?? "") ") + settings.accessKey
      + SecretText(" ") + settings.secretKey
  }

  func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard request.headers["authorization"] == nil else {
      proceed(.success(AuthorizedRequest(request, generation: AWSAuth.notOurs)))
      return nil
    }
    let service: AWSService
    do throws(TransportError) {
      service = try self.service(of: request)
    } catch {
      proceed(.failure(error))
      return nil
    }
    let finish = { [self] (body: AWSSignature.Body) -> Result<AuthorizedRequest, TransportError> in
      Result { () throws(TransportError) in
        try AuthorizedRequest(signed(request, for: service, body))
      }
    }
    if isUnsigned(request, for: service) {
      proceed(finish(.unsigned))
      return nil
    }
    return BodyDigest.make(for: request, .sha256, in: context) { made in
      proceed(made.flatMap { finish(.signed($0)) })
    }
  }

  private func signed(
    _ request: HTTPRequest, for service: AWSService, _ body: AWSSignature.Body
  ) throws(TransportError) -> HTTPRequest {
    var http = request
    if let token = settings.currentToken, http.headers[AWSAuth.tokenHeader] == nil {
      http.headers.add(AWSAuth.tokenHeader, token)
    }
    let signature = AWSSignature(
      service, accessKey: settings.accessKey, secretKey: settings.secretKey, body: body,
      offset: offsets[request.origin] ?? 0)
    try http.sign(by: signature, header: "authorization", mask: shown)
    return http
  }

  private static let tokenHeader = "x-amz-security-token"

  private func service(of request: HTTPRequest) throws(TransportError) -> AWSService {
    let host = ResourceURL.address(of: request.url)?.host ?? ""
    let said = AWSService.said(by: host)
    guard let name = settings.service ?? said.name,
      let region = settings.region ?? said.region ?? settings.environmentRegion
    else {
      throw .final(
        .authFailed,
        "the host \(host) does not name its AWS service and region: "
          + "pass 'service' and 'region' to lull.auth.aws_sigv4")
    }
    return AWSService(name: name, region: region)
  }

  private func isUnsigned(_ request: HTTPRequest, for service: AWSService) -> Bool {
    if let isSigned = settings.signsBody { return !isSigned }
    guard service.isStorage, case .streamed(let body)? = request.payload, body.hasFiles else {
      return false
    }
    return request.origin.hasPrefix("https:")
  }

  // MARK: Clocks

  var renewableStatuses: Set<Int> { [400, 403] }

  /// The largest accepted difference between the clocks, in seconds. Every service accepts a larger
  /// difference.
  private static let tolerance = 240.0

  func canRenew(
    after result: NetworkResult, to request: AuthorizedRequest, in context: AuthContext
  ) -> Bool {
    let now = context.pump.clock.now
    let origin = request.http.origin
    guard request.generation != AWSAuth.notOurs, let response = result.response,
      response.url.map({ ResourceURL(shown: $0)?.origin == origin }) ?? true,
      let date = response.headers["date"].flatMap({ HTTPDate.parse($0, now: now) }),
      abs(date - now - (offsets[origin] ?? 0)) > AWSAuth.tolerance
    else { return false }
    context.pump.log(
      .network,
      "the clock of \(origin) is \(LogText.seconds(abs(date - now))) "
        + "\(date > now ? "ahead" : "behind"): requests are signed with its time")
    offsets[origin] = date - now
    return true
  }

  /// The generation of a request to which nothing was added, because the request already has an
  /// `Authorization` header.
  private static let notOurs = -1
}

/// Credentials for Amazon's services, and the service and region. Lua: the table of
/// `lull.auth.aws_sigv4{…}`.
public struct AWSCredentials: Sendable, Equatable {
  /// The access key ID; sent in clear text.
  public var accessKey: SecretText
  /// The key that signs; never sent.
  public var secretKey: SecretText
  /// The session token of temporary credentials.
  public var sessionToken: SecretText?
  /// The service's name in signatures, such as `s3`; nil derives it from the host.
  public var service: String?
  /// The region, such as `eu-central-1`; nil derives it from the host. If the host does not contain
  /// a region and the keys come from the environment, the environment's region is used.
  public var region: String?
  /// Whether bodies are signed. nil signs every body, except a body from files that is sent to S3
  /// over TLS.
  public var signsBody: Bool?
  private var isOfEnvironment = false

  /// Creates credentials. The service and the region are derived from the host of each request.
  public init(accessKey: SecretText, secretKey: SecretText, sessionToken: SecretText? = nil) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
  }

  /// The credentials in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, with `AWS_SESSION_TOKEN`
  /// and `AWS_REGION` or `AWS_DEFAULT_REGION` if these are set. The variables are read for each
  /// request.
  public static var environment: AWSCredentials {
    var credentials = AWSCredentials(
      accessKey: SecretText(Secret(.environment("AWS_ACCESS_KEY_ID"))),
      secretKey: SecretText(Secret(.environment("AWS_SECRET_ACCESS_KEY"))))
    credentials.isOfEnvironment = true
    return credentials
  }

  /// The session token that a request sent now must contain; nil for none.
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
    // Copied before other code can change the environment.
    let text = getenv(name).map { String(escapingCString: $0) }
    return text?.isEmpty == false ? text : nil
  }
}
