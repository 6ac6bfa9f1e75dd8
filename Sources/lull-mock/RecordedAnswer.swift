import LullCassettes
import LullClients
import LullCore

/// A recorded answer as another server gives it.
struct RecordedAnswer {
  /// What is about the connection that it came over, about the codings that its body has no more, or about the server
  /// that has given it.
  private static let left: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "content-length",
    "content-encoding", "trailer", "upgrade", "date", "alt-svc", "strict-transport-security",
  ]
  /// They lead to where it is, or on.
  private static let links: Set<String> = ["location", "content-location", "link", "refresh"]

  let answer: MockAnswer?

  /// - Parameters:
  ///   - origin: of the service, in the place of which stands `here`.
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

  /// With another origin, where it is that and not the beginning of another.
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

  /// As clients keep it that came over plain HTTP from here.
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
