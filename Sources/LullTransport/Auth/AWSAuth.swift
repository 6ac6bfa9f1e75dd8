public import LullCore
import LullLibC

/// Amazon's signatures, version 4: each request is signed with a key that is made of the secret one.
///
/// Each time a request goes out it is signed anew, whole, with the time of then. A body from files is read
/// for that first, but where S3 is content with TLS instead. Where the service answers that its clock and
/// this one are apart, the request is signed by the service's clock, and so are all after it.
/// Home thread only. Lua: `lull.auth.aws_sigv4{…}`.
///
/// Behaviours: AWS-01 to AWS-09.
final class AWSAuth: AuthStage {
  private let settings: AWSCredentials
  /// How many seconds clocks of servers are ahead, by origin, where that is more than they put up with.
  private var offsets: [String: Double] = [:]

  init(_ settings: AWSCredentials) { self.settings = settings }

  /// What is seen of it.
  var shown: String { "\(AWSSignature.algorithm) \(settings.secretKey.masked)" }

  var fingerprint: Int {
    var hasher = Hasher()
    hasher.combine(settings.sessionToken)
    hasher.combine(settings.signsBody)
    return hasher.finalize()
  }

  /// Who signs, and what for.
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
        "the host \(host) does not say which service of Amazon's it is, and where: "
          + "lull.auth.aws_sigv4 needs service = and region =")
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

  /// Seconds that clocks may be apart, which is less than any service puts up with.
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
        + "\(date > now ? "ahead" : "behind"): requests are signed by it")
    offsets[origin] = date - now
    return true
  }

  /// Of a request that brings a header of its own.
  private static let notOurs = -1
}

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
