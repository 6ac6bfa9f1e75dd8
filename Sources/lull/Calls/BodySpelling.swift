import LullCore

/// Remembers how the last body was spelled, so that what is written of its JSON has the server's own
/// digits: a document keeps numbers as numbers. (JSN-12)
final class BodySpelling {
  /// The body as it came, of a failure too, lines of JSON as a list; nil before there is any.
  private(set) var bytes: [UInt8]?
  /// Whether it came as lines of JSON.
  private var hasLines = false
  /// The answer before anything has changed it.
  private var entity: Entity?
  private var noted: Set<Note> = []

  /// What is said once, of the first page only.
  enum Note {
    case recognised
    case malformed
  }

  /// True once for each note.
  func isFirst(_ note: Note) -> Bool { noted.insert(note).inserted }

  /// Sees all answers that these settings are for, before anything changes them.
  func watch(_ settings: inout Configuration) {
    guard let stage = settings.pipeline.order.first else { return }
    let watching = FunctionTransformer(description: "spelling of the body") { [self] response in
      let entity = response.entity ?? response.error?.entity
      if let entity, case .bytes(let bytes) = entity.content {
        self.entity = entity
        read(bytes, as: entity.jsonForm)
      }
      return response
    }
    settings.pipeline[stage].transformers.insert(watching, at: 0)
  }

  /// Takes a body as JSON of that form.
  func read(_ bytes: [UInt8], as form: JSONForm) {
    hasLines = form == .lines || form == .values
    guard hasLines else { return self.bytes = form == .rows ? nil : bytes }
    self.bytes = bytes.withUnsafeBufferPointer {
      JSONLines.list(of: $0, areValues: form == .values)
    }
  }

  /// Takes the body as values if its content is the list of them, without a type that says so, or
  /// since pages before it were lines of JSON. (JSN-92, PAG-86)
  func settle(by content: Content) {
    guard case .json(let document) = content, document.hasLines, !hasLines, let bytes else {
      return
    }
    read(bytes, as: .values)
  }

  /// The body as it came if the entity has its text, and no charset is named that it need not name
  /// itself, as XML and pages do; nil of others. (TXT-14)
  func bytes(of came: Entity) -> [UInt8]? {
    guard case .text(let text) = came.content else { return nil }
    // An answer of a cache has not been seen.
    guard let entity, entity.charset == nil || entity.isTextBesides, entity.decodedText == text
    else { return came.receivedBytes }
    return bytes
  }
}
