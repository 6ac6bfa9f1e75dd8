import LullCore

/// What an answer has given out under a name that says nothing, and a later request has sent as a credential: a test
/// has seen it as it is, and sees what stands for it when the recording is replayed. (CAS-73)
struct LateCredential: CustomStringConvertible {
  private let said: String
  /// nil where its request shows a mask.
  private let sent: String?
  private let name: String?
  private let mask: String

  /// - Parameters:
  ///   - text: that stands in the exchanges, as they were seen.
  ///   - mask: what stands in its place from then on.
  init?(_ text: [UInt8], shownAs mask: String, in entries: [HAREntry]) {
    let value = String(decoding: text, as: UTF8.self)
    guard
      let source = entries.firstIndex(where: {
        $0.response.map { LateCredential.says(value, $0) } ?? false
      })
    else { return nil }
    guard let response = entries[source].response else { return nil }
    let later = entries[(source + 1)...].first { LateCredential.sends(value, $0.request) }
    said = "\(entries[source].request.method) \(LogText.url(entries[source].request.url))"
    sent = later.map { "\($0.request.method) \(LogText.url($0.request.url))" }
    name = LateCredential.name(of: value, in: response)
    self.mask = mask
  }

  var description: String {
    let what =
      name.map { "'\($0)' of the answer to \(said)" } ?? "something in the answer to \(said)"
    let advice =
      name.map { "name it where the cassette is named, hide = { \"\($0)\" }, and record it anew" }
      ?? "answer that by t.network:on"
    return
      "\(what) was sent as a credential\(sent.map { " by \($0)" } ?? ""): the test has seen it as it is, and sees \(mask) when this is "
      + "replayed; \(advice)"
  }

  private static func says(_ text: String, _ response: HARResponse) -> Bool {
    let texts = response.headers.map(\.value) + [response.body?.bytes ?? []]
    return texts.contains { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  private static func sends(_ text: String, _ request: HARRequest) -> Bool {
    var redaction = Redaction()
    redaction.collect(from: request)
    return redaction.hides(Array(text.utf8))
  }

  /// Of the header or member that it is the value of.
  private static func name(of text: String, in response: HARResponse) -> String? {
    if let header = response.headers.first(where: { String(escaping: $0.value) == text }) {
      return header.name
    }
    guard let body = response.body, let readable = RecordedText(body.bytes),
      let document = try? JSONDocument(parsing: readable.bytes)
    else { return nil }
    return name(of: text, in: document.root, called: nil)
  }

  private static func name(of text: String, in element: JSONElement, called name: String?)
    -> String?
  {
    switch element.kind {
    case .object:
      for (key, value) in element.pairs {
        if let found = self.name(of: text, in: value, called: key) { return found }
      }
    case .array:
      for value in element.elements {
        if let found = self.name(of: text, in: value, called: name) { return found }
      }
    default: return element.string == text ? name : nil
    }
    return nil
  }
}
