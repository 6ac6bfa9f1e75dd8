import LullCore

extension SecretStore {
  /// The next hop of a request with secrets: those in its URL masked again, or an error if one of
  /// them would reach an origin it is not bound to.
  ///
  /// What must not travel has been dropped already. What is left is a header that is kept, the body
  /// that 307 and 308 keep, and what the server has put into the URL itself.
  ///
  /// - Parameter known: all secrets the exchange began with, which the server may know.
  func redirected(
    _ next: HTTPRequest, from request: HTTPRequest, at origin: Origin, to target: Origin,
    known: [Secret]
  ) throws(TransportError) -> HTTPRequest {
    var next = next
    let url = template(of: next.url, hiding: known)
    if let url { next.url = url.maskedText }
    next.secrets = SecretUses(
      origin: request.secrets?.origin, url: url,
      body: next.body == nil ? nil : request.secrets?.body)
    guard let problem = target.secretProblem(of: next) else { return next }
    throw TransportError(
      problem.kind, "\(origin.hostAndPort) redirects to \(target.hostAndPort): \(problem.message)")
  }

  /// The URL with the secrets that stand in it; nil if there is none.
  private func template(of url: String, hiding secrets: [Secret]) -> SecretTemplate? {
    var template = SecretTemplate()
    var isFound = false
    var part: [UInt8] = []
    func endPart() {
      let (name, pieces) = (part, self.pieces(of: part, hiding: secrets))
      part = []
      guard let pieces else { return template.append(name) }
      isFound = true
      template.append(SecretText(pieces), .parameter)
    }
    for byte in url.utf8 {
      if "/?&=#;:".utf8.contains(byte) {
        endPart()
        template.append(CollectionOfOne(byte))
      } else {
        part.append(byte)
      }
    }
    endPart()
    return isFound ? template : nil
  }

  /// What a part of a URL says, with secrets in the place of their texts; nil if there is none.
  private func pieces(of part: [UInt8], hiding secrets: [Secret]) -> [SecretText.Piece]? {
    guard !part.isEmpty else { return nil }
    let decoded = SecretStore.decoded(part)
    for secret in secrets {
      guard let bytes = try? text(of: secret), !bytes.isEmpty, decoded.count >= bytes.count,
        // Of a very short one only the whole is taken for it.
        bytes.count >= 4 || decoded == bytes
      else { continue }
      for start in 0...(decoded.count - bytes.count)
      where decoded[start..<(start + bytes.count)].elementsEqual(bytes) {
        let before = String(decoding: decoded[..<start], as: UTF8.self)
        let after = String(decoding: decoded[(start + bytes.count)...], as: UTF8.self)
        return [.literal(before), .secret(secret), .literal(after)]
      }
    }
    return nil
  }

  private static func decoded(_ part: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < part.count {
      if part[index] == UInt8(ascii: "%"), index + 2 < part.count,
        let byte = UInt8(
          String(decoding: part[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        result.append(byte)
        index += 3
      } else {
        result.append(part[index])
        index += 1
      }
    }
    return result
  }
}

extension Origin {
  /// Why a request with secrets must not go here; nil if it may.
  func secretProblem(of request: HTTPRequest) -> TransportError? {
    request.secretOriginProblem(target: text) { CurlURL($0)?.origin == self }
  }

  /// As a URL.
  var text: String { "\(scheme)://\(hostAndPort)" }

  /// Whether what is sent here can be read by nobody on the way: encrypted, or never on the way.
  var isPrivate: Bool {
    isTLS || host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && isNumeric
  }
}
