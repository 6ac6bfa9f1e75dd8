import LullCore

extension CallExchange {
  /// Returns text that holds JSON as JSON, with a note, where the call reads fields. (JSN-91)
  func readable(_ entity: Entity) -> Entity {
    guard options.readsFields, options.responseType == nil, !entity.isTextByDecision,
      let bytes = bytesOfJSON(entity)
    else { return entity }
    let type =
      entity.contentType.isEmpty
      ? "has no type" : "is \(LogText.part(entity.contentType, limit: 60))"
    switch bytes.withUnsafeBufferPointer({ JSONRecognition($0) }) {
    case .document(let document):
      spelling.read(bytes, as: document.hasLines ? .values : .whole)
      if spelling.isFirst(.recognised) {
        Exit.complain(
          "lull: note: the response \(type), and is read as JSON; --as text reads it as text\n")
      }
      var entity = entity
      entity.content = .json(document)
      return entity
    case .malformed(let error):
      if spelling.isFirst(.malformed) {
        let cause = RequestError.Cause.malformedJSON(message: error.message, offset: error.offset)
        Exit.complain(
          "lull: note: the response \(type), and is read as text: it begins like JSON, but is"
            + " malformed: \(cause.message)\n")
      }
      return entity
    case .other: return entity
    }
  }

  /// The bytes that may be JSON; nil of content that is neither text nor bytes.
  private func bytesOfJSON(_ entity: Entity) -> [UInt8]? {
    switch entity.content {
    case .text(let text):
      // Where no charset is named JSON is in UTF-8, whatever the text was decoded by. (JSN-101)
      if entity.charset == nil, let bytes = spelling.bytes(of: entity),
        bytes.contains(0)
          || bytes.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) != nil
      {
        return bytes
      }
      return Array(text.utf8)
    case .bytes(let bytes): return bytes
    default: return nil
    }
  }
}
