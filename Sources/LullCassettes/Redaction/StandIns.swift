import LullCore

/// The stand-ins that recordings have in the place of tokens: `lull-token-1` and so on.
package enum StandIns {
  /// The highest number in an exchange; 0 without any.
  static func highest(in entry: HAREntry) -> Int {
    var texts = self.texts(of: entry.request)
    if let response = entry.response {
      texts += response.headers.map(\.value)
      texts += [response.body?.bytes ?? [], Array((response.finalURL ?? "").utf8)]
    }
    return texts.reduce(0) { max($0, highest(in: $1)) }
  }

  /// Those whose texts somebody would have to know to send that, as they are or in base64.
  package static func numbers(in request: HARRequest) -> Set<Int> {
    texts(of: request).reduce(into: []) { $0.formUnion(numbers(in: $1)) }
  }

  package static func numbers(in bytes: [UInt8]) -> Set<Int> {
    var numbers: Set<Int> = []
    _ =
      StandInReading(bytes, .verbatim) {
        numbers.insert($0)
        return nil
      }.text
    return numbers
  }

  /// A text with tokens in their places.
  package static func told(_ bytes: [UInt8], by token: @escaping (Int) -> [UInt8]?) -> [UInt8] {
    StandInReading(bytes, .verbatim, token).text
  }

  private static func texts(of request: HARRequest) -> [[UInt8]] {
    [Array(request.url.utf8), request.body?.bytes ?? []] + request.headers.map(\.value)
  }

  private static func highest(in bytes: [UInt8]) -> Int {
    var highest = 0
    var level = bytes
    for _ in 0...StandInReading.depth where !level.isEmpty {
      highest = max(highest, highestAsItIs(in: level))
      level = EncodedWords.decoded(in: level)
    }
    return highest
  }

  private static func highestAsItIs(in bytes: [UInt8]) -> Int {
    let mark = Array(CredentialMask.standIn.utf8)
    guard bytes.count > mark.count, let first = mark.first else { return 0 }
    var highest = 0
    var index = 0
    while let start = bytes[index...].firstIndex(of: first) {
      index = start + 1
      guard bytes[start...].starts(with: mark) else { continue }
      highest = max(highest, StandInReading.number(at: start + mark.count, in: bytes)?.value ?? 0)
    }
    return highest
  }
}
