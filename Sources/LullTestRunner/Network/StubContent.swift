import LullClients
import LullCore

/// The body that a rule of the test network compares requests with.
///
/// JSON is compared by value, a form by its pairs in any order, and other bodies by their bytes.
/// The content type is not compared. Secrets are compared by their masks.
struct StubContent: Equatable {
  private enum Value: Equatable {
    case json(QueryIdentity)
    /// The decoded pairs of a form, sorted.
    case form([[String]])
    case bytes([UInt8])
  }

  private let value: Value
  /// The beginning of the body, for messages.
  let excerpt: String

  /// Makes the content from the body of a rule. Throws if the body can't be encoded.
  init(_ body: RequestBody) throws(RequestBodyFailure) {
    let bytes: [UInt8]
    let type: ContentType
    switch try body.encoded() {
    case .bytes(let content, let name): (bytes, type) = (content, ContentType(name))
    case .secret(let secret):
      (bytes, type) = (secret.template.masked, ContentType(secret.contentType))
    case .file, .multipart:
      throw RequestBodyFailure(
        cause: .invalidSetting(
          name: "body", message: "a file or a multipart form cannot be compared"))
    }
    if type.isJSON {
      value = .json(StubContent.json(bytes))
    } else if type.mediaType == "application/x-www-form-urlencoded",
      let pairs = StubContent.pairs(bytes)
    {
      value = .form(pairs)
    } else {
      value = .bytes(bytes)
    }
    excerpt = ResourceQuery.excerpt(of: bytes, limit: 60)
  }

  /// Whether a request has this body. A body that is read while it is sent never matches.
  func fits(_ request: HTTPRequest) -> Bool {
    let bytes = request.body ?? []
    return switch value {
    case .json(let identity): StubContent.json(bytes) == identity
    case .form(let pairs): StubContent.pairs(bytes) == pairs
    case .bytes(let content): bytes == content
    }
  }

  /// The identity of JSON content, by which contents with equal values are equal.
  private static func json(_ bytes: [UInt8]) -> QueryIdentity {
    QueryIdentity(method: .query, contentType: "application/json", content: bytes)
  }

  private static func pairs(_ bytes: [UInt8]) -> [[String]]? {
    String(validating: bytes, as: UTF8.self).map { text in
      EscapedPair.all(in: text).map { [$0.name, $0.text] }
        .sorted { $0.lexicographicallyPrecedes($1) }
    }
  }
}
