package import LullCore

extension HTTPRequest {
  /// The numbers of the stand-ins that occur in the secrets of the request.
  package var standInsOfSecrets: Set<Int> {
    var numbers: Set<Int> = []
    for secret in secretTexts.flatMap(\.secrets) {
      guard case .literal(let text) = secret.source else { continue }
      numbers.formUnion(StandIns.numbers(in: Array(text.utf8)))
    }
    return numbers
  }

  /// Returns the request with its stand-ins replaced by tokens, including stand-ins in uploaded
  /// files. The request's secrets are not changed, because they are read when the request is sent.
  /// (CAS-66, CAS-74)
  ///
  /// - Parameters:
  ///   - token: Returns the token for the number of a stand-in, or nil to keep the stand-in.
  ///   - known: Secrets that a response has repeated. The masks of these secrets are replaced by
  ///     their texts.
  /// - Throws: `fileUnavailable` if a file of the request can't be read.
  package func telling(
    _ token: @escaping (Int) -> [UInt8]?, _ known: [(mask: String, text: [UInt8])] = []
  ) throws(TransportError) -> HTTPRequest {
    func masks(_ bytes: [UInt8], _ escaping: SecretEscaping, depth: Int) -> [UInt8] {
      guard !known.isEmpty else { return bytes }
      let isInURL = escaping == .parameter || escaping == .form
      let bytes =
        depth == 0
        ? bytes
        : EncodedWords(bytes, isInURL: isInURL) { inner in
          let made = masks(inner, .verbatim, depth: depth - 1)
          return made == inner ? nil : made
        }.text
      return known.reduce(bytes) { bytes, secret in
        let mask = Array(secret.mask.utf8)
        return [SecretEscaping.verbatim, .parameter, .form].reduce(bytes) {
          $0.replacing($1.escaped(mask), with: escaping.escaped(secret.text))
        }
      }
    }
    func text(_ bytes: [UInt8], _ escaping: SecretEscaping) -> [UInt8] {
      masks(
        StandInReading(bytes, escaping, token).text, escaping, depth: StandInReading.depth)
    }
    func address(_ bytes: [UInt8]) -> [UInt8] {
      // In a path, an unescaped slash would divide a segment.
      let isWhole = bytes.starts(with: "http".utf8)
      let path = isWhole ? bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count : 0
      let reading = StandInReading(Array(bytes[..<path]), .verbatim) {
        token($0)?.flatMap(HTTPRequest.escapedInPath)
      }
      let first = known.reduce(reading.text) { bytes, secret in
        bytes.replacing(
          SecretEscaping.parameter.escaped(secret.mask.utf8),
          with: secret.text.flatMap(HTTPRequest.escapedInPath))
      }
      return first + text(Array(bytes[path...]), .parameter)
    }
    var request = self
    var template = secrets
    if let url = secretURL {
      let told = url.replacing(address)
      template = SecretUses(
        origin: template?.origin, url: told, body: template?.body, signature: template?.signature)
      request.url = told.maskedText
    } else {
      request.url = String(decoding: address(Array(url.utf8)), as: UTF8.self)
    }
    let escaping = bodyEscaping
    if let body = secretBody {
      let told = body.replacing { text($0, escaping) }
      template = SecretUses(
        origin: template?.origin, url: template?.url, body: told, signature: template?.signature)
      request.body = told.masked
    } else {
      switch payload {
      case .bytes(let bytes)?: request.body = text(bytes, escaping)
      case .streamed(let body)?:
        request.payload = .streamed(
          try body.replacing { text($0, HTTPRequest.isJSON($0) ? .json : .verbatim) })
      case nil: break
      }
    }
    request.secrets = template
    var seen: Set<String> = []
    for name in headers.pairs.map(\.name) where seen.insert(name).inserted {
      let values = headers.plainValues(name)
      let told = values.map { text($0, .verbatim) }
      // If the header also contains a secret, all its values are read when the request is sent.
      guard told != values, values.count == headers.values(name).count else { continue }
      request.headers.remove(name)
      for value in told { request.headers.add(name, bytes: value) }
    }
    return request
  }

  private static func escapedInPath(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: [byte]
    default:
      "-._~".utf8.contains(byte) ? [byte] : Array("%\(Hexadecimal.text([byte]).uppercased())".utf8)
    }
  }

  /// How tokens are escaped when they are inserted into the body. This depends on the content of
  /// the body, not on its declared type.
  private var bodyEscaping: SecretEscaping {
    if let body, HTTPRequest.isJSON(body) { return .json }
    let type = headers["content-type"]?.lowercased() ?? ""
    return type.hasPrefix("application/x-www-form-urlencoded") ? .form : .verbatim
  }

  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    bytes.first { ![9, 10, 13, 32].contains($0) }.map { "{[\"".utf8.contains($0) } ?? false
  }
}
