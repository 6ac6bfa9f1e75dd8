import LullCore
import LullSystem

/// Amazon's Signature Version 4 of one request.
final class AWSSignature: RequestSignature {
  /// How the body is signed.
  enum Body: Sendable, Equatable {
    /// The body's digest is signed. nil means that the digest has not been computed yet.
    case signed([UInt8]?)
    /// The body is not signed, because TLS protects it. Only S3 accepts that.
    case unsigned
  }

  private let service: AWSService
  private let accessKey: SecretText
  private let secretKey: SecretText
  private let body: Body
  /// The number of seconds by which the server's clock is ahead of this machine's clock.
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
        .secretUnavailable, "\(accessKey.masked) is not an access key: it \(problem)")
    }
    request.headers.set("authorization", bytes: header)
  }

  static let algorithm = "AWS4-HMAC-SHA256"

  /// Returns the body's digest as the signature contains it. If the request has its own
  /// `x-amz-content-sha256` header, returns the value of that header.
  private func said(of request: HTTPRequest) throws(TransportError) -> String {
    if let given = request.headers["x-amz-content-sha256"] { return given }
    switch body {
    case .unsigned: return "UNSIGNED-PAYLOAD"
    case .signed(let made?) where request.payload != nil: return Hexadecimal.text(made)
    case .signed: return Hexadecimal.text(try Digest.sha256.of(request.payload))
    }
  }

  /// Formats a time as `20150830T123600Z`.
  private static func time(_ seconds: Double) -> String {
    String(ISODate.text(of: seconds.rounded(.down)).filter { $0 != "-" && $0 != ":" })
  }
}

/// The canonical form of a request, from which Amazon's signatures are computed. The canonical form
/// does not depend on how the request is written on the wire.
///
/// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
struct AWSCanonicalRequest {
  let text: [UInt8]
  /// The names of the signed headers, sorted, separated by semicolons.
  let signedHeaders: String

  /// - Parameter body: The body's digest in hexadecimal digits, or the placeholder for a body that
  ///   is not signed.
  init(_ request: HTTPRequest, to target: AWSTarget, body: String) {
    var headers: [String: [[UInt8]]] = [:]
    for (name, value) in request.headers.lines.bytePairs {
      let name = String(decoding: name, as: UTF8.self)
      if !AWSCanonicalRequest.unsigned.contains(name) { headers[name, default: []].append(value) }
    }
    if headers["host"] == nil { headers["host"] = [Array(request.host.utf8)] }
    let names = headers.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    signedHeaders = names.joined(separator: ";")

    var text = Array(request.method.rawValue.utf8)
    func line(_ bytes: some Sequence<UInt8>) {
      text.append(10)
      text += bytes
    }
    line(target.path)
    line(target.query)
    for name in names {
      let values = (headers[name] ?? []).map(AWSCanonicalRequest.trimmed)
      line(
        Array(name.utf8) + [UInt8(ascii: ":")] + values.joined(separator: [UInt8(ascii: ",")]))
    }
    line([])
    line(signedHeaders.utf8)
    line(body.utf8)
    self.text = text
  }

  /// Headers that are not signed, because they may be changed in transit or are added when the
  /// request is sent.
  private static let unsigned: Set<String> = [
    "authorization", "user-agent", "expect", "transfer-encoding", "content-length", "connection",
    "accept-encoding", "cookie", "te", "trailer", "upgrade", "keep-alive", "proxy-authorization",
    "proxy-connection", "x-amzn-trace-id",
  ]

  /// Returns the value without leading and trailing blanks. Each run of blanks inside the value is
  /// replaced by one blank.
  private static func trimmed(_ value: [UInt8]) -> [UInt8] {
    Array(
      value.split { $0 == 32 || $0 == 9 }.joined(separator: CollectionOfOne(UInt8(ascii: " "))))
  }
}

extension HTTPRequest {
  /// The host in the request's URL.
  fileprivate var host: String { Origin(of: url)?.hostAndPort ?? "" }
}

/// Path and query of a request, as sent and as signed.
///
/// Every byte except letters, digits and `-._~` is escaped when it is sent. A `+` in the query is
/// sent as `%20`. So every server reads the text that was signed, however the server parses URLs.
struct AWSTarget {
  let wire: String
  let path: [UInt8]
  let query: [UInt8]

  /// - Parameter isStorage: Whether the path is signed unchanged, as for S3. For all other
  ///   services, `.` and `..` segments and repeated slashes are removed, and escapes are escaped
  ///   again.
  init(_ target: String, isStorage: Bool) {
    let mark = target.firstIndex(of: "?") ?? target.endIndex
    let given = Array(target[..<mark].utf8)
    let sent = isStorage ? AWSTarget.parts(of: given, AWSTarget.escapedOnce) : given
    path =
      isStorage
      ? sent
      : AWSTarget.parts(of: AWSTarget.normal(given)) { PercentEncoding.encode($0) }
    let pairs = target[mark...].utf8.dropFirst().split(separator: UInt8(ascii: "&")).map { pair in
      let bytes = pair.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      let equals = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
      return Pair(
        name: AWSTarget.escapedOnce(bytes[..<equals]),
        value: equals == bytes.endIndex ? nil : AWSTarget.escapedOnce(bytes[(equals + 1)...]))
    }
    let equals = [UInt8(ascii: "=")]
    query = AWSTarget.joined(pairs.sorted().map { $0.name + equals + ($0.value ?? []) })
    let asGiven = AWSTarget.joined(
      pairs.map { pair in pair.name + (pair.value.map { equals + $0 } ?? []) })
    wire = String(
      decoding: sent + (mark == target.endIndex ? [] : [UInt8(ascii: "?")] + asGiven),
      as: UTF8.self)
  }

  private struct Pair: Comparable {
    let name: [UInt8]
    /// The value; nil if the pair has no equals sign.
    let value: [UInt8]?

    static func < (one: Pair, other: Pair) -> Bool {
      one.name == other.name
        ? (one.value ?? []).lexicographicallyPrecedes(other.value ?? [])
        : one.name.lexicographicallyPrecedes(other.name)
    }
  }

  private static func joined(_ pairs: [[UInt8]]) -> [UInt8] {
    Array(pairs.joined(separator: CollectionOfOne(UInt8(ascii: "&"))))
  }

  /// Applies a change to each segment of a path. An escaped slash does not separate segments.
  private static func parts(
    of path: [UInt8], _ change: (ArraySlice<UInt8>) -> [UInt8]
  ) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    return Array(
      path.split(separator: slash, omittingEmptySubsequences: false).map(change)
        .joined(separator: CollectionOfOne(slash)))
  }

  /// Returns the path without `.` and `..` segments and without repeated slashes.
  private static func normal(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var parts: [ArraySlice<UInt8>] = []
    for part in path.split(separator: slash) where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
    }
    let end = path.last == slash && !parts.isEmpty ? [slash] : []
    return [slash] + Array(parts.joined(separator: CollectionOfOne(slash))) + end
  }

  private static func escapedOnce(_ text: ArraySlice<UInt8>) -> [UInt8] {
    // A `%` that begins no valid escape is literal.
    PercentEncoding.encode((try? PercentEncoding.decode(text))?[...] ?? text)
  }
}

/// The Amazon service of a request, and its region. Both are part of the signature.
struct AWSService: Equatable {
  var name: String
  var region: String

  /// Returns the service and the region that the host name contains; nil for each that it does not
  /// contain.
  static func said(by host: String) -> (name: String?, region: String?) {
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    if let labels = labels(of: host, below: ".on.aws"), let service = labels.last {
      // The host name has the form `id.lambda-url.REGION.on.aws`.
      guard isRegion(service), labels.dropLast().last == "lambda-url" else { return (nil, nil) }
      return ("lambda", service)
    }
    let ending = [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"].first { host.hasSuffix($0) }
    guard let ending, var labels = labels(of: host, below: ending) else { return (nil, nil) }
    labels.removeAll { $0 == "dualstack" }
    if let place = labels.lastIndex(where: { isStorage($0) }) {
      if let region = labels[(place + 1)...].first(where: isRegion) { return ("s3", region) }
      // The label has the old form `s3-REGION`.
      let region = String(labels[place].dropFirst(3))
      if isRegion(region) { return ("s3", region) }
      return ("s3", labels[place] == "s3" && ending == ".amazonaws.com" ? "us-east-1" : nil)
    }
    guard let last = labels.last else { return (nil, nil) }
    if isRegion(last) { return (labels.dropLast().last.map(signingName), last) }
    // The labels have the form `domain.REGION.es`.
    if let region = labels.dropLast().last, isRegion(region) { return (signingName(last), region) }
    return (signingName(last), worldwide.contains(last) ? "us-east-1" : nil)
  }

  /// Whether this is S3, where bodies need not be signed and paths are signed unchanged.
  var isStorage: Bool { name == "s3" || name.hasPrefix("s3-") }

  private static func labels(of host: String, below ending: String) -> [String]? {
    guard host.hasSuffix(ending) else { return nil }
    return host.dropLast(ending.count).split(separator: ".").map(String.init)
  }

  private static func isStorage(_ label: String) -> Bool {
    label == "s3" || label.hasPrefix("s3-")
  }

  /// Matches `eu-central-1`, `us-gov-west-1`.
  private static func isRegion(_ label: String) -> Bool {
    let parts = label.split(separator: "-", omittingEmptySubsequences: false)
    guard (3...4).contains(parts.count), let first = parts.first, let last = parts.last,
      first.count == 2, (1...2).contains(last.count)
    else { return false }
    return last.allSatisfy { $0.isASCII && $0.isNumber }
      && parts.dropLast().allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isLetter } }
  }

  /// Converts the label that names a service in a host name to the name that signatures use for the
  /// service. The two may differ.
  private static func signingName(_ label: String) -> String {
    let name = label.hasSuffix("-fips") ? String(label.dropLast(5)) : label
    return names[name] ?? name
  }

  private static let names = [
    "email": "ses", "bedrock-runtime": "bedrock", "bedrock-agent": "bedrock",
    "bedrock-agent-runtime": "bedrock", "queue": "sqs",
  ]

  /// Services with only one region.
  private static let worldwide: Set<String> = [
    "iam", "sts", "route53", "cloudfront", "organizations", "budgets", "globalaccelerator", "waf",
  ]
}

/// Computes the digest of a body in the thread pool if the body comes from files or is large.
enum BodyDigest {
  /// The size in bytes above which hashing a body on the home thread would block the loop too long.
  private static let largest = 256 << 10

  /// Whether the body's digest is computed in the thread pool before the request is sent. Small
  /// bodies and bodies with secrets are hashed when the request is signed.
  static func isNeeded(for request: HTTPRequest) -> Bool {
    switch request.payload {
    case nil: false
    case .bytes(let bytes)?: bytes.count > largest && !request.hasSecretsInBody
    case .streamed(let body)?: body.hasFiles && !request.hasSecretsInBody
    }
  }

  /// Computes the body's digest in the thread pool and passes the digest to `finish` on a later
  /// turn. If no digest has to be computed in the pool, `finish` receives nil, inside this call.
  ///
  /// - Returns: A function that stops the computation, or nil if there is nothing to stop.
  static func make(
    for request: HTTPRequest, _ digest: Digest, in context: AuthContext,
    then finish: @escaping (Result<[UInt8]?, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard isNeeded(for: request) else {
      finish(.success(nil))
      return nil
    }
    let sign = StopSign()
    context.pump.offload(
      { [payload = request.payload, inbox = context.pump.inbox] in
        Result { () throws(TransportError) -> [UInt8]? in
          try digest.of(payload, unless: { sign.isSet || inbox.isClosed })
        }
      },
      then: { (result: Result<[UInt8]?, TransportError>) in
        if !sign.isSet { finish(result) }
      })
    return { sign.set() }
  }
}

extension HTTPRequest {
  /// Path and query of the request line.
  var target: String {
    guard let text = ResourceURL.address(of: url)?.target else { return "/" }
    let target = text.prefix { $0 != "#" }
    return target.first == "/" ? String(target) : "/" + target
  }
}
