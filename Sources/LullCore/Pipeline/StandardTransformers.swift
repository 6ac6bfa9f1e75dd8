/// The parsers every service starts with, in this order. (SVC-35, TRF-32)
public enum StandardTransformer: String, Sendable, CaseIterable {
  /// `*/json` and `*/*+json`, at parsing.
  case json
  /// `text/*` but JSON, at parsing.
  case text

  package func make() -> any ResponseTransformer {
    switch self {
    case .json:
      ContentParser(
        description: "JSON parser", accepts: { ContentTypePattern.isJSON($0) },
        parse: { bytes, _ throws(ContentParser.ParseFailure) in
          do throws(JSONError) {
            return .json(try JSONDocument(parsing: bytes))
          } catch {
            throw ContentParser.ParseFailure(
              cause: .malformedJSON(message: error.message, offset: error.offset))
          }
        })
    case .text:
      ContentParser(
        description: "text parser", accepts: { ContentTypePattern.isText($0) },
        parse: { bytes, entity throws(ContentParser.ParseFailure) in
          // ISO-8859-1 is the default of the model (TXT-02).
          let charset = entity.charset ?? "iso-8859-1"
          guard MemoryLedger.allows(bytes.count) else {
            throw ContentParser.ParseFailure(cause: .undecodableText(encoding: charset))
          }
          do throws(TextCodingError) {
            return .text(try TextCoding.decode(bytes, charset: charset))
          } catch {
            throw ContentParser.ParseFailure(cause: error.cause(entity.charsetName))
          }
        })
    }
  }
}

extension TextCodingError {
  fileprivate func cause(_ charset: ByteString?) -> RequestErrorCause {
    switch self {
    case .unknownCharset(let name): .invalidTextEncoding(name: charset ?? ByteString(name))
    case .undecodable(let encoding), .unencodable(let encoding):
      .undecodableText(encoding: encoding)
    }
  }
}
