/// The parsers that every service has by default, in this order. (SVC-35, TRF-32)
public enum StandardTransformer: String, Sendable, CaseIterable {
  /// Parses `*/json`, `*/*+json` and JSON Lines, in the parsing stage.
  case json
  /// Decodes `text/*` except JSON, and other text types, in the parsing stage.
  case text

  /// The stage to which the parser is added. (TRF-32)
  package var stage: PipelineStageKey { .parsing }

  package func make() -> any ResponseTransformer {
    switch self {
    case .json:
      ContentParser.json(
        accepts: { ContentTypePattern.isJSON($0) || ContentTypePattern.jsonForm($0) != .whole })
    case .text:
      ContentParser.text(
        accepts: { ContentTypePattern.isText($0) },
        tries: { ContentTypePattern.isTextBesides($0) })
    }
  }
}

/// A transformer that parses bytes or text of any content type as JSON: an object, an array, or any
/// other value. (JSN-01, JSN-81)
///
/// Use it for stages or content types that `StandardTransformer.json` does not handle, and choose
/// the types with `PipelineStage.add(_:contentTypes:)`. If the content is not JSON, a success
/// becomes a failure (TRF-16), and a failure is left unchanged (TRF-07). Large bodies are parsed in
/// the thread pool. Lua: `stage:add_standard("json")`.
///
///     configuration.pipeline[.parsing].add(JSONResponseTransformer(), contentTypes:
///     ["text/x-json"])
public final class JSONResponseTransformer: ResponseTransformer {
  private let parser: ContentParser

  /// - Parameter transformErrors: Whether the bodies of errors are parsed too. (TRF-05)
  public init(_ transformErrors: Bool = true) {
    parser = .json(transformsErrors: transformErrors)
  }

  public var description: String { parser.description }

  public func process(_ response: Response, in run: PipelineRun) -> Response? {
    parser.process(response, in: run)
  }
}

/// A transformer that decodes bytes of any content type as text. It uses the charset that the
/// content type names, otherwise the default charset. (TXT-01)
///
/// If the content can't be decoded, a success becomes a failure, and a failure is left unchanged.
/// Large bodies are decoded in the thread pool. Lua: `stage:add_standard("text")`.
public final class TextResponseTransformer: ResponseTransformer {
  private let parser: ContentParser

  /// - Parameter transformErrors: Whether the bodies of errors are decoded too. (TRF-05)
  public init(_ transformErrors: Bool = true) {
    parser = .text(transformsErrors: transformErrors)
  }

  public var description: String { parser.description }

  public func process(_ response: Response, in run: PipelineRun) -> Response? {
    parser.process(response, in: run)
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
          switch entity.jsonForm {
          case .whole: return .json(try JSONLines.documentOrLines(bytes))
          case .lines: return .json(try JSONLines.document(bytes))
          case .values: return .json(try JSONLines.document(bytes, areValues: true))
          case .rows: return .json(try CSVDocument.document(bytes, charset: entity.charset))
          }
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
      transformsErrors: transformsErrors, makesText: true,
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
  /// Returns the charset in which the bytes of an entity are decoded as text.
  static func charset(
    of bytes: UnsafeBufferPointer<UInt8>, _ entity: Entity
  ) -> String {
    guard entity.isTextBesides else { return entity.charset ?? TextCoding.charset(of: bytes) }
    let isXML = entity.headers.withFirstValue("content-type", ContentTypePattern.isXML)
    return CharsetDetection.charset(of: bytes, named: entity.charset, isXML: isXML ?? false)
  }
}

extension Entity {
  /// Whether the content type is a text type other than `text/*`, such as XML or JavaScript.
  /// (TXT-11)
  package var isTextBesides: Bool {
    headers.withFirstValue("content-type", ContentTypePattern.isTextBesides) ?? false
  }

  /// Sets the content to the text of `bytes`, decoded in the same way as by the standard text
  /// parser. Returns false if the bytes can't be decoded.
  package mutating func decodeText(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let charset = StandardTransformer.charset(of: bytes, self)
    guard let text = try? TextCoding.decode(bytes, charset: charset) else { return false }
    setText(text, from: bytes)
    return true
  }

  /// Sets the content to a text that was decoded from `bytes`. If the charset was not given by a
  /// `text/*` content type, also records `bytes`.
  mutating func setText(_ text: String, from bytes: UnsafeBufferPointer<UInt8>) {
    content = .text(text)
    guard charset == nil || isTextBesides else { return }
    textSource = TextSource.of(bytes, charset: StandardTransformer.charset(of: bytes, self))
  }

  /// Whether the content type means a sequence of JSON values, such as JSON Lines. (JSN-20)
  package var hasJSONLines: Bool {
    headers.withFirstValue("content-type", ContentTypePattern.isJSONLines) ?? false
  }

  /// The content decoded as text, if the content is bytes and the content type is a text type. nil
  /// for other content, and if the bytes can't be decoded.
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
