import LullCore

/// A request as Amazon's signatures see it: one text, however it is written on the wire.
///
/// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
struct AWSCanonicalRequest {
  let text: [UInt8]
  /// Their names, sorted, with semicolons between.
  let signedHeaders: String

  /// - Parameter body: a digest in hexadecimal digits, or what stands for none.
  init(_ request: HTTPRequest, to target: AWSTarget, body: String) {
    var headers: [String: [[UInt8]]] = [:]
    for (name, value) in request.headers.bytePairs {
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

  /// What goes by others on its way, or is made when it goes out.
  private static let unsigned: Set<String> = [
    "authorization", "user-agent", "expect", "transfer-encoding", "content-length", "connection",
    "accept-encoding", "cookie", "te", "trailer", "upgrade", "keep-alive", "proxy-authorization",
    "proxy-connection", "x-amzn-trace-id",
  ]

  /// Without blanks around it, and with one in the place of several.
  private static func trimmed(_ value: [UInt8]) -> [UInt8] {
    Array(
      value.split { $0 == 32 || $0 == 9 }.joined(separator: CollectionOfOne(UInt8(ascii: " "))))
  }
}

extension HTTPRequest {
  /// Whom it names as its host.
  fileprivate var host: String { Origin(of: url)?.hostAndPort ?? "" }
}
