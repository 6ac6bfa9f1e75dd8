import LullCore

/// Masks secrets in recorded network traffic.
///
/// The positions of secrets in the request are known, so even short ones are masked. In a response,
/// a secret may be anywhere.
struct WireMask {
  /// The number of bytes that are dropped at the end of a truncated body. A truncated secret there
  /// would not be recognised. Secrets that are longer than this number may therefore remain in
  /// part.
  private static let longest = 8 * 1024
  private let request: HTTPRequest
  private let search: SecretSearch

  init(_ request: HTTPRequest, _ search: SecretSearch) {
    self.request = request
    self.search = search
  }

  func masked(_ event: WireObserver.Event) -> WireObserver.Event {
    switch event {
    case .head(let isSent, let bytes):
      return .head(isSent: isSent, isSent ? sentHead(bytes) : hidden(bytes))
    case .body(let isSent, let bytes, let count):
      if isSent, request.secretBody != nil, let body = request.body {
        return .body(
          isSent: true, Array(body.prefix(WireObserver.bodyLimit)), count: max(count, body.count))
      }
      // A truncated body may end inside a secret, so its last bytes are dropped.
      let masked = hidden(bytes).dropLast(count > bytes.count ? WireMask.longest : 0)
      return .body(isSent: isSent, Array(masked), count: count)
    }
  }

  private func hidden(_ bytes: [UInt8]) -> [UInt8] {
    guard !search.matches(in: bytes, takesShort: false).isEmpty else { return bytes }
    return Array(search.masked(String(escaping: bytes)).utf8)
  }

  private func sentHead(_ bytes: [UInt8]) -> [UInt8] {
    let values = request.headers.secretValues
    var result: [UInt8] = []
    for (number, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated()
    {
      if number > 0 { result.append(10) }
      if number == 0, request.secretURL != nil {
        result += requestLine(line)
        continue
      }
      let name = line.prefix { $0 != UInt8(ascii: ":") }.map {
        (65...90).contains($0) ? $0 | 32 : $0
      }
      // Headers of the same name, such as cookies, may all be secret.
      let texts = values.filter { $0.name.utf8.elementsEqual(name) }.map(\.text.masked)
      guard !texts.isEmpty else {
        result += hidden(Array(line))
        continue
      }
      result += line.prefix { $0 != UInt8(ascii: ":") } + ": ".utf8
      result += texts.joined(separator: "; ").utf8
      if line.last == 13 { result.append(13) }
    }
    return result
  }

  /// Returns `GET /path HTTP/1.1` with the path of the masked URL.
  private func requestLine(_ line: ArraySlice<UInt8>) -> [UInt8] {
    let words = line.split(separator: 32)
    guard words.count == 3 else { return hidden(Array(line)) }
    let url = request.url
    let isWhole = words[1].starts(with: "http".utf8)
    let start = url.firstRange(of: "://").flatMap { scheme in
      url[scheme.upperBound...].firstIndex { "/?#".contains($0) }
    }
    let target = isWhole ? url[...] : start.map { url[$0...] } ?? "/"
    return words[0] + [32] + target.prefix { $0 != "#" }.utf8 + [32] + words[2]
  }
}
