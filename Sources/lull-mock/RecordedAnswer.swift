import LullCassettes
import LullClients
import LullCore

/// A recorded response, adapted to this server.
struct RecordedAnswer {
  /// Headers that are omitted, because they are about the recorded connection, about content
  /// codings that the body no longer has, or about the original server.
  private static let left: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "content-length",
    "content-encoding", "trailer", "upgrade", "date", "alt-svc", "strict-transport-security",
  ]
  /// Headers that contain URLs.
  private static let links: Set<String> = ["location", "content-location", "link", "refresh"]

  let answer: MockAnswer?

  /// - Parameters:
  ///   - origin: The origin of the recorded service. It is replaced by `here`.
  ///   - here: The origin of this server.
  init(_ response: HARResponse, origin: String, here: String) {
    guard (200...599).contains(response.status) else {
      answer = nil
      return
    }
    var headers = Headers()
    for header in response.headers {
      let name = header.name.lowercased()
      guard !RecordedAnswer.left.contains(name) else { continue }
      let text = String(validating: header.value, as: UTF8.self)
      if let text, RecordedAnswer.links.contains(name) {
        headers.add(header.name, RecordedAnswer.moved(text, from: origin, to: here))
      } else if let text, name == "set-cookie" {
        headers.add(header.name, RecordedAnswer.cookie(text))
      } else {
        headers.add(header.name, bytes: header.value)
      }
    }
    if headers["content-type"] == nil, let type = response.body?.type, !type.isEmpty {
      headers["content-type"] = type
    }
    answer = MockAnswer(
      status: response.status, headers: headers, body: response.body?.bytes ?? [])
  }

  /// Replaces an origin in a text. An occurrence that is only the beginning of a longer host or
  /// port is not replaced.
  private static func moved(_ text: String, from origin: String, to here: String) -> String {
    var result = ""
    var rest = text[...]
    while let place = rest.firstRange(of: origin) {
      let next = rest[place.upperBound...].first
      let isWhole = next.map { "/?#>;, \"".contains($0) } ?? true
      result += rest[..<place.lowerBound] + (isWhole ? here[...] : rest[place])
      rest = rest[place.upperBound...]
    }
    return result + rest
  }

  /// Returns a cookie without the attributes that would make a client reject it from this server
  /// over plain HTTP.
  private static func cookie(_ text: String) -> String {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let kept = parts.enumerated().filter { place, part in
      let word = part.drop { $0 == " " }.lowercased()
      return place == 0
        || !(word == "secure" || word.hasPrefix("domain=") || word == "samesite=none")
    }
    return kept.map { String($0.element) }.joined(separator: ";")
  }
}
