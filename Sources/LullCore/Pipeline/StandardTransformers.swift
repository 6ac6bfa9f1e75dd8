/// The parsers every service starts with, in this order. (SVC-35, TRF-32)
public enum StandardTransformer: String, Sendable, CaseIterable {
  /// `*/json` and `*/*+json`, and lines of JSON, at parsing.
  case json
  /// `text/*` but JSON, and what else is text by its type, at parsing.
  case text

  /// Where it belongs. (TRF-32)
  package var stage: PipelineStageKey { .parsing }

  package func make() -> any ResponseTransformer {
    switch self {
    case .json:
      ContentParser.json(
        accepts: { ContentTypePattern.isJSON($0) || ContentTypePattern.isJSONLines($0) })
    case .text:
      ContentParser.text(
        accepts: { ContentTypePattern.isText($0) },
        tries: { ContentTypePattern.isTextBesides($0) })
    }
  }
}

extension ContentParser {
  static func json(
    accepts: ((UnsafeBufferPointer<UInt8>) -> Bool)? = nil,
    transformsErrors: Bool = true
  ) -> ContentParser {
    ContentParser(
      description: "JSON parser", accepts: accepts, transformsErrors: transformsErrors,
      parse: { bytes, entity throws(ParseFailure) in
        do throws(JSONError) {
          return .json(
            entity.hasJSONLines ? try JSONLines.document(bytes) : try JSONDocument(parsing: bytes))
        } catch {
          throw ParseFailure(cause: .malformedJSON(message: error.message, offset: error.offset))
        }
      })
  }

  static func text(
    accepts: ((UnsafeBufferPointer<UInt8>) -> Bool)? = nil,
    tries: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool = { _ in false },
    transformsErrors: Bool = true
  ) -> ContentParser {
    ContentParser(
      description: "text parser", accepts: accepts, tries: tries,
      transformsErrors: transformsErrors,
      parse: { bytes, entity throws(ParseFailure) in
        let charset = StandardTransformer.charset(of: bytes, entity)
        guard MemoryLedger.allows(bytes.count) else {
          throw ParseFailure(cause: .undecodableText(encoding: charset))
        }
        do throws(TextCodingError) {
          return .text(try TextCoding.decode(bytes, charset: charset))
        } catch {
          throw ParseFailure(cause: error.cause(entity.charsetName))
        }
      })
  }
}

extension StandardTransformer {
  fileprivate static func charset(
    of bytes: UnsafeBufferPointer<UInt8>, _ entity: Entity
  ) -> String {
    guard entity.isTextBesides else { return entity.charset ?? TextCoding.defaultCharset }
    let isXML = entity.headers.withFirstValue("content-type", ContentTypePattern.isXML)
    return CharsetDetection.charset(of: bytes, named: entity.charset, isXML: isXML ?? false)
  }
}

extension Entity {
  /// Whether it is text by its type without being `text/*`. (TXT-11)
  package var isTextBesides: Bool {
    headers.withFirstValue("content-type", ContentTypePattern.isTextBesides) ?? false
  }

  /// Whether its type is that of lines of JSON. (JSN-20)
  package var hasJSONLines: Bool {
    headers.withFirstValue("content-type", ContentTypePattern.isJSONLines) ?? false
  }

  /// What the bytes of a type are as text that is text; nil for others, and for what cannot be decoded.
  package var decodedText: String? {
    guard case .bytes(let bytes) = content,
      isTextBesides || headers.withFirstValue("content-type", ContentTypePattern.isText) == true
    else { return nil }
    return bytes.withUnsafeBufferPointer {
      try? TextCoding.decode($0, charset: StandardTransformer.charset(of: $0, self))
    }
  }
}

extension TextCodingError {
  fileprivate func cause(_ charset: ByteString?) -> RequestError.Cause {
    switch self {
    case .unknownCharset(let name): .invalidTextEncoding(name: charset ?? ByteString(name))
    case .undecodable(let encoding), .unencodable(let encoding):
      .undecodableText(encoding: encoding)
    }
  }
}
