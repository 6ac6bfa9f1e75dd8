package import LullCore

extension CredentialMask {
  /// How often `***` stands in the answer of an exchange.
  package static func count(in entry: HAREntry) -> Int {
    guard let response = entry.response else { return 0 }
    let texts = response.headers.map(\.value) + [response.body?.bytes ?? []]
    return texts.reduce(count(in: Array((response.finalURL ?? "").utf8))) { $0 + count(in: $1) }
  }

  /// Also within what is encoded.
  private static func count(in bytes: [UInt8]) -> Int {
    var level = bytes
    var count = 0
    for _ in 0...StandInReading.depth where !level.isEmpty {
      count += countAsItIs(in: level)
      level = EncodedWords.decoded(in: level)
    }
    return count
  }

  private static func countAsItIs(in bytes: [UInt8]) -> Int {
    let star = UInt8(ascii: "*")
    return bytes.split(whereSeparator: { $0 != star }).count(where: { $0.count >= mark.utf8.count })
  }

  /// Whether it stands anywhere in a request, but in heads that hold credentials, which Lull fills by itself.
  package static func stands(in request: HARRequest) -> Bool {
    let headers = request.headers.filter { !CredentialName.names($0.name) }.map(\.value)
    let texts = headers + [request.body?.bytes ?? [], Array(request.url.utf8)]
    return texts.contains { bytes in
      count(in: Array(decoded(String(decoding: bytes, as: UTF8.self)).utf8)) > 0
    }
  }
}
