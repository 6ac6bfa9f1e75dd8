import LullCore

/// Amazon's signature of one request, version 4.
final class AWSSignature: RequestSignature {
  /// What is said of the body.
  enum Body: Sendable, Equatable {
    /// Its digest; nil: to be made.
    case signed([UInt8]?)
    /// Nothing: TLS protects it, and only S3 is content with that.
    case unsigned
  }

  private let service: AWSService
  private let accessKey: SecretText
  private let secretKey: SecretText
  private let body: Body
  /// How many seconds the server's clock is ahead.
  private let offset: Double

  init(
    _ service: AWSService, accessKey: SecretText, secretKey: SecretText, body: Body, offset: Double
  ) {
    self.service = service
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.body = body
    self.offset = offset
  }

  var secrets: [SecretText] { [secretKey, accessKey] }

  func sign(
    _ request: inout HTTPRequest, at now: Double,
    _ text: (SecretText) throws(TransportError) -> [UInt8]
  ) throws(TransportError) {
    let time = AWSSignature.time(now + offset)
    let day = time.prefix(8)
    let target = AWSTarget(request.target, isStorage: service.isStorage)
    if let origin = Origin(of: request.url) { request.url = origin.text + target.wire }
    request.headers["x-amz-date"] = time
    request.headers.remove("date")
    let body = try said(of: request)
    if service.isStorage || self.body == .unsigned {
      request.headers["x-amz-content-sha256"] = body
    }
    let canonical = AWSCanonicalRequest(request, to: target, body: body)
    let scope = "\(day)/\(service.region)/\(service.name)/aws4_request"
    let message =
      Array("\(AWSSignature.algorithm)\n\(time)\n\(scope)\n".utf8)
      + Hexadecimal.text(try Digest.sha256.required(of: canonical.text)).utf8
    var key = Array("AWS4".utf8) + (try text(secretKey))
    for part in [String(day), service.region, service.name, "aws4_request"] {
      key = try Digest.sha256.requiredHMAC(key: key, Array(part.utf8))
    }
    let signature = Hexadecimal.text(try Digest.sha256.requiredHMAC(key: key, message))
    let header =
      Array("\(AWSSignature.algorithm) Credential=".utf8) + (try text(accessKey))
      + Array("/\(scope), SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)".utf8)
    if let problem = Headers.valueProblem(header) {
      throw TransportError(
        .secretUnavailable, "\(accessKey.masked) is no access key: it \(problem)")
    }
    request.headers.set("authorization", bytes: header)
  }

  static let algorithm = "AWS4-HMAC-SHA256"

  /// A digest that the request brings itself counts.
  private func said(of request: HTTPRequest) throws(TransportError) -> String {
    if let given = request.headers["x-amz-content-sha256"] { return given }
    switch body {
    case .unsigned: return "UNSIGNED-PAYLOAD"
    case .signed(let made?) where request.payload != nil: return Hexadecimal.text(made)
    case .signed: return Hexadecimal.text(try Digest.sha256.of(request.payload))
    }
  }

  /// `20150830T123600Z`
  private static func time(_ seconds: Double) -> String {
    String(ISODate.text(of: seconds.rounded(.down)).filter { $0 != "-" && $0 != ":" })
  }
}
