import LullCore

/// Remembers how the last body was spelled, so that what is written of its JSON has the server's own
/// digits: a document keeps numbers as numbers. (JSN-12)
final class BodySpelling {
  /// The body as it came, of a failure too, lines of JSON as a list; nil before there is any.
  private(set) var bytes: [UInt8]?
  /// Whether it came as lines of JSON.
  private(set) var hasLines = false
  private var entity: Entity?

  /// Sees all answers that these settings are for, before anything changes them.
  func watch(_ settings: inout Configuration) {
    guard let stage = settings.pipeline.order.first else { return }
    let watching = FunctionTransformer(description: "spelling of the body") { [self] response in
      let entity = response.entity ?? response.error?.entity
      if let entity, case .bytes(let bytes) = entity.content {
        self.entity = entity
        hasLines = entity.hasJSONLines
        self.bytes =
          hasLines ? bytes.withUnsafeBufferPointer { JSONLines.list(of: $0) } : bytes
      }
      return response
    }
    settings.pipeline[stage].transformers.insert(watching, at: 0)
  }

  /// The body as it came if it is that text, and no charset is named that it need not name itself, as XML
  /// and pages do; nil of others. (TXT-14)
  func bytes(of text: String) -> [UInt8]? {
    guard let entity, entity.charset == nil || entity.isTextBesides, entity.decodedText == text
    else { return nil }
    return bytes
  }

  /// That text as people read it: where nobody says which charset it is in, what is UTF-8 is taken for it.
  func shown(_ text: String) -> String {
    guard entity?.charset == nil, let bytes = bytes(of: text) else { return text }
    return String(validating: bytes, as: UTF8.self) ?? text
  }
}
