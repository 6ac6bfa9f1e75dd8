package import LullCore

/// The stand-ins that recordings have in the place of tokens: `lull-token-1` and so on.
package enum StandIns {
  /// The highest number in an exchange; 0 without any.
  static func highest(in entry: HAREntry) -> Int {
    texts(of: entry).reduce(0) { max($0, highest(in: $1)) }
  }

  /// Whether somebody would have to know what one stands for to send that.
  package static func stand(in request: HARRequest) -> Bool {
    texts(of: request).contains { highest(in: $0) > 0 }
  }

  package static func stand(in text: String) -> Bool { highest(in: Array(text.utf8)) > 0 }

  private static func texts(of entry: HAREntry) -> [[UInt8]] {
    var texts = self.texts(of: entry.request)
    if let response = entry.response {
      texts += response.headers.map(\.value)
      texts += [response.body?.bytes ?? [], Array((response.finalURL ?? "").utf8)]
    }
    return texts
  }

  private static func texts(of request: HARRequest) -> [[UInt8]] {
    [Array(request.url.utf8), request.body?.bytes ?? []] + request.headers.map(\.value)
  }

  private static func highest(in bytes: [UInt8]) -> Int {
    let mark = Array(CredentialMask.standIn.utf8)
    guard bytes.count > mark.count, let first = mark.first else { return 0 }
    var highest = 0
    var index = 0
    while let start = bytes[index...].firstIndex(of: first) {
      index = start + 1
      guard bytes[start...].starts(with: mark) else { continue }
      var number = 0
      for digit in bytes[(start + mark.count)...].prefix(9) {
        guard (0x30...0x39).contains(digit) else { break }
        number = number * 10 + Int(digit - 0x30)
      }
      highest = max(highest, number)
    }
    return highest
  }
}

extension HTTPRequest {
  /// Whether it would tell a server a stand-in in the place of a token.
  package var tellsStandIns: Bool {
    secretTexts.flatMap(\.secrets).contains { secret in
      if case .literal(let text) = secret.source { StandIns.stand(in: text) } else { false }
    }
  }
}
