import LullCore
import Testing

@testable import LullTransport

/// What is signed for Amazon's services, compared with what botocore 1.44.5 says of the same requests.
@Suite(.timeLimit(.minutes(20)))
struct AWSSignatureTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let service: AWSService
    let method: RequestMethod
    let url: String
    let headers: [(String, String)]
    let body: String?
    let token: String?
    let signed: String
    let signature: String

    init(
      _ service: String, _ region: String, _ method: RequestMethod, _ url: String,
      _ headers: [(String, String)], body: String?, token: String?, _ signed: String,
      _ signature: String
    ) {
      self.service = AWSService(name: service, region: region)
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
      self.token = token
      self.signed = signed
      self.signature = signature
    }

    var testDescription: String { "\(method) \(url)" }
  }

  /// The first is the simplest of Amazon's own examples.
  static let cases = [
    Case(
      "service", "us-east-1", "GET", "https://example.amazonaws.com/",
      [], body: nil, token: nil,
      "host;x-amz-date",
      "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Case(
      "service", "us-east-1", "GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1",
      [], body: nil, token: nil,
      "host;x-amz-date",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Case(
      "service", "us-east-1", "GET", "https://example.amazonaws.com/?Param1=value2&Param1=Value1",
      [], body: nil, token: nil,
      "host;x-amz-date",
      "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"),
    Case(
      "service", "us-east-1", "GET", "https://example.amazonaws.com/a/./b//c/../d/",
      [], body: nil, token: nil,
      "host;x-amz-date",
      "fc87438582477f9ca8c8209b32704e0e9f5b46786f0101a26c46e85478a0f14f"),
    Case(
      "service", "us-east-1", "GET", "https://example.amazonaws.com/%E1%88%B4/with%20space",
      [], body: nil, token: nil,
      "host;x-amz-date",
      "4366abc5529fa1ca9c316f408642f9c7ded28542d855ca8a8d260a00448e0cc9"),
    Case(
      "service", "us-east-1", "GET", "https://example.amazonaws.com/?flag&a=%20b%2B&%E1%88%B4=bar",
      [], body: nil, token: nil,
      "host;x-amz-date",
      "a75c86f19c54ffc48b93b7ec4f95d67e16ae6485624887fdbae56c05ec6ff095"),
    Case(
      "service", "us-east-1", "GET", "https://example.amazonaws.com/",
      [("My-Header1", "value4"), ("my-header2", "  a   b  c ")], body: nil, token: nil,
      "host;my-header1;my-header2;x-amz-date",
      "43aa547a8659604c9a83e0c49a6099f6ea284b4f42e327399b8b2cf6b52e295a"),
    Case(
      "service", "us-east-1", "POST", "https://example.amazonaws.com/",
      [("content-type", "application/x-www-form-urlencoded")], body: "Param1=value1", token: nil,
      "content-type;host;x-amz-date",
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    Case(
      "service", "us-east-1", "POST", "https://example.amazonaws.com/",
      [], body: nil, token: "AQoDYXdzEPT//////////wEXAMPLE+token==",
      "host;x-amz-date;x-amz-security-token",
      "d6cfbfc55e42bc574866de29297855a7641647424bd0f7f21cef951c453d763c"),
    Case(
      "dynamodb", "eu-central-1", "POST", "https://dynamodb.eu-central-1.amazonaws.com:8443/",
      [
        ("x-amz-target", "DynamoDB_20120810.ListTables"),
        ("content-type", "application/x-amz-json-1.0"),
      ], body: "{}", token: nil,
      "content-type;host;x-amz-date;x-amz-target",
      "d3ceebcccbb8516ce5482e19840810c568627dff616dcc3fc864c5cfc024c607"),
    Case(
      "s3", "us-east-1", "GET", "https://examplebucket.s3.amazonaws.com/test.txt",
      [("range", "bytes=0-9")], body: nil, token: nil,
      "host;range;x-amz-content-sha256;x-amz-date",
      "bb1cd881a4f7029c0ba2366d768a648255fafa92ae1ff7b5ca33dd1e8094e0d3"),
    Case(
      "s3", "us-east-1", "PUT",
      "https://examplebucket.s3.amazonaws.com/a//b/../with%20space%2Fslash%2B",
      [("x-amz-storage-class", "REDUCED_REDUNDANCY")], body: "Welcome to Amazon S3.", token: nil,
      "host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      "be462a0c7fcc5c9ee6dbedefb7f7c2594f4bebff17981115392c78d501bb5396"),
    Case(
      "s3", "us-east-1", "GET",
      "https://examplebucket.s3.amazonaws.com/?prefix=J%2Fa%20b&max-keys=2&lifecycle",
      [], body: nil, token: nil,
      "host;x-amz-content-sha256;x-amz-date",
      "69b1492e4f9116a8c7f314fd254f43babfdedd22a6d5bac1ddcb44993e0ef490"),
  ]

  private static let accessKey = SecretText(Secret(.literal("AKIDEXAMPLE")))
  private static let secretKey = SecretText(
    Secret(.literal("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")))
  /// 2015-08-30T12:36:00Z
  private static let now = 1_440_938_160.0

  private static func signed(
    _ request: HTTPRequest, for service: AWSService, _ body: AWSSignature.Body = .signed(nil),
    offset: Double = 0
  ) throws -> HTTPRequest {
    var request = request
    let signature = AWSSignature(
      service, accessKey: accessKey, secretKey: secretKey, body: body, offset: offset)
    try signature.sign(&request, at: now) { text throws(TransportError) in
      text.secrets.flatMap { secret -> [UInt8] in
        if case .literal(let text) = secret.source { Array(text.utf8) } else { [] }
      }
    }
    return request
  }

  @Test(arguments: cases) func `AWS-01 a request is signed as botocore signs it`(_ one: Case) throws
  {
    var request = HTTPRequest(
      method: one.method, url: one.url, headers: RequestHeaders(one.headers),
      body: one.body.map { Array($0.utf8) })
    if let token = one.token { request.headers["x-amz-security-token"] = token }
    let signed = try AWSSignatureTests.signed(request, for: one.service)
    #expect(
      signed.headers["authorization"]
        == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/\(one.service.region)/"
        + "\(one.service.name)/aws4_request, SignedHeaders=\(one.signed), "
        + "Signature=\(one.signature)")
    #expect(signed.headers["x-amz-date"] == "20150830T123600Z")
  }

  @Test func `AWS-02 it goes out with the escapes that it was signed with`() throws {
    func wire(_ service: String, _ path: String) throws -> String {
      let request = HTTPRequest(method: "GET", url: "https://x.test" + path)
      let signed = try AWSSignatureTests.signed(
        request, for: AWSService(name: service, region: "r"))
      return String(signed.url.dropFirst(14))
    }
    #expect(try wire("s3", "/a!b/%7e%2f?x=a+b&y=c/d&z&z=#f") == "/a%21b/~%2F?x=a%20b&y=c%2Fd&z&z=")
    #expect(try wire("sqs", "/a!b/../%7e?x=a+b") == "/a!b/../%7e?x=a%20b")
    #expect(try wire("s3", "/100%") == "/100%25")
    #expect(try wire("s3", "") == "/")
  }

  @Test func `AWS-03 what changes on its way is not signed`() throws {
    let plain = HTTPRequest(method: "GET", url: "https://x.test/")
    var more = plain
    for name in ["user-agent", "accept-encoding", "cookie", "connection", "expect"] {
      more.headers[name] = "x"
    }
    let service = AWSService(name: "sqs", region: "r")
    let one = try AWSSignatureTests.signed(plain, for: service).headers["authorization"]
    #expect(try AWSSignatureTests.signed(more, for: service).headers["authorization"] == one)
  }

  @Test func `AWS-04 a body is signed by its digest and another one by that of its own`() throws {
    let s3 = AWSService(name: "s3", region: "r")
    let request = HTTPRequest(method: "PUT", url: "https://x.test/", body: Array("abc".utf8))
    let digest = try Digest.sha256.of(request.payload)
    func said(_ request: HTTPRequest, _ body: AWSSignature.Body) throws -> String? {
      try AWSSignatureTests.signed(request, for: s3, body).headers["x-amz-content-sha256"]
    }
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(try said(request, .signed(nil)) == abc)
    #expect(try said(request, .signed(digest)) == abc)
    #expect(try said(request, .unsigned) == "UNSIGNED-PAYLOAD")
    // After a redirect there may be none.
    let none = HTTPRequest(method: "GET", url: "https://x.test/")
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    #expect(try said(none, .signed(digest)) == empty)
    var own = request
    own.headers["x-amz-content-sha256"] = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    #expect(try said(own, .signed(nil)) == "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
  }

  @Test func `AWS-05 it says the time of the server where clocks differ`() throws {
    let request = HTTPRequest(method: "GET", url: "https://x.test/")
    let signed = try AWSSignatureTests.signed(
      request, for: AWSService(name: "sqs", region: "r"), offset: 86_400)
    #expect(signed.headers["x-amz-date"] == "20150831T123600Z")
    #expect(signed.headers["authorization"]?.contains("/20150831/r/sqs/") == true)
  }

  @Test(arguments: [
    ("things.s3.eu-central-1.amazonaws.com", "s3", "eu-central-1"),
    ("s3.amazonaws.com", "s3", "us-east-1"),
    ("things.s3.amazonaws.com", "s3", "us-east-1"),
    ("a.b.s3.dualstack.us-west-2.amazonaws.com", "s3", "us-west-2"),
    ("s3-us-west-2.amazonaws.com", "s3", "us-west-2"),
    ("s3.cn-north-1.amazonaws.com.cn", "s3", "cn-north-1"),
    ("dynamodb.us-gov-west-1.amazonaws.com", "dynamodb", "us-gov-west-1"),
    ("dynamodb-fips.us-east-1.amazonaws.com", "dynamodb", "us-east-1"),
    ("x.execute-api.eu-west-1.amazonaws.com", "execute-api", "eu-west-1"),
    ("search-x.eu-north-1.es.amazonaws.com", "es", "eu-north-1"),
    ("email.eu-west-1.amazonaws.com", "ses", "eu-west-1"),
    ("x.lambda-url.ap-south-1.on.aws", "lambda", "ap-south-1"),
    ("iam.amazonaws.com", "iam", "us-east-1"),
    ("lambda.us-east-1.api.aws", "lambda", "us-east-1"),
  ]) func `AWS-06 the host says which service it is and where`(
    _ host: String, _ name: String, _ region: String
  ) {
    let said = AWSService.said(by: host)
    #expect(said.name == name && said.region == region)
  }

  @Test(arguments: ["example.com", "localhost", "amazonaws.com", "x.on.aws", "127.0.0.1", ""])
  func `AWS-06 other hosts say neither`(_ host: String) {
    let said = AWSService.said(by: host)
    #expect(said.name == nil && said.region == nil)
  }
}
