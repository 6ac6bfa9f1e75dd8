import LullCore
import LullHost

/// Stores the source text of the last response body, so that JSON is written with the server's own
/// digits. A parsed JSON document does not preserve how the server wrote a number. (JSN-12)
final class BodySpelling {
  /// The response body as received, also of an error response. JSON Lines are converted to a list.
  /// `nil` before the first body.
  private(set) var bytes: [UInt8]?
  /// Whether the body was received as JSON Lines.
  private var hasLines = false
  /// Whether responses are GraphQL responses, whose content is the value of `data`.
  private var readsGraphQL = false
  /// The response entity before any transformer.
  private var entity: Entity?
  private var noted: Set<Note> = []

  /// A note that is shown only once, for the first page.
  enum Note {
    case recognised
    case malformed
  }

  /// Returns whether this is the first call with this note.
  func isFirst(_ note: Note) -> Bool { noted.insert(note).inserted }

  /// Adds a transformer that records each response before any other transformer changes it.
  func watch(_ settings: inout Configuration) {
    readsGraphQL = settings.graphQL
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

  /// Stores a body as JSON of the given form.
  func read(_ bytes: [UInt8], as form: JSONForm) {
    hasLines = form == .lines || form == .values
    guard hasLines else {
      return self.bytes = form == .rows ? nil : readsGraphQL ? data(of: bytes) : bytes
    }
    self.bytes = bytes.withUnsafeBufferPointer {
      JSONLines.list(of: $0, areValues: form == .values)
    }
  }

  /// Returns the text of `data`. Returns the body of an error unchanged.
  private func data(of body: [UInt8]) -> [UInt8] {
    guard let root = (try? JSONDocument(parsing: body))?.root, root["data"]?.isNull == false,
      JSONScan.isUTF8(body), let data = JSONText(valid: body)["data"]
    else { return body }
    var writer = JSONWriter()
    data.write(to: &writer)
    return writer.output
  }

  /// Treats the stored body as a sequence of JSON values if `content` was parsed as a sequence.
  /// This can happen even if the Content-Type does not announce a sequence, or because earlier
  /// pages were JSON Lines. (JSN-92, PAG-86)
  func settle(by content: Content) {
    guard case .json(let document) = content, document.hasLines, !hasLines, let bytes else {
      return
    }
    read(bytes, as: .values)
  }

  /// Returns the body of a text entity as received. `nil` if the content is not text.
  ///
  /// The stored body is used only if it decodes to the entity's text, and if its charset is
  /// certain: the response does not name a charset, or its type does not need one (XML and HTML).
  /// Otherwise the bytes stored in the entity are returned. (TXT-14)
  func bytes(of came: Entity) -> [UInt8]? {
    guard case .text(let text) = came.content else { return nil }
    // A response from a cache has not passed through the transformer that `watch` adds.
    guard let entity, entity.charset == nil || entity.isTextBesides, entity.decodedText == text
    else { return came.receivedBytes }
    return bytes
  }
}
