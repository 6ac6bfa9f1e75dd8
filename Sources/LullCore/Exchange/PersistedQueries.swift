/// Sends GraphQL documents as hashes, and as text only to a server that does not know the hash: the
/// "automatic persisted queries" of Apollo. Requires a hash function, for which `LullTransport` has
/// `PersistedQueries.sha256`. (GQL-46) Lua: the setting `persisted_queries`.
///
/// Order of events: the request is sent with the SHA-256 hash in place of `query`. If the server
/// responds that it does not know the hash, the request is sent again with both, and the server
/// stores the document. If the server responds that it does not support hashes, the request is sent
/// again as text, and so are all later requests of the service.
///
/// A body that contains secrets or has `extensions` is always sent as text.
public struct PersistedQueries: Sendable {
  /// Returns the SHA-256 hash of bytes in hexadecimal digits; nil if it can't be computed.
  package let hash: @Sendable ([UInt8]) -> String?

  package init(hash: @escaping @Sendable ([UInt8]) -> String?) { self.hash = hash }
}

/// The forms of a request body with a GraphQL document, and the form that is sent next.
struct PersistedBody {
  enum Form: String { case hash, both, text }

  private(set) var form = Form.hash
  private let hash: [UInt8]
  private let both: [UInt8]
  private let text: [UInt8]

  /// nil if the body is not that of a GraphQL request, or has `extensions`.
  init?(_ body: [UInt8], _ queries: PersistedQueries) {
    guard let root = (try? JSONDocument(parsing: body))?.root, root["extensions"] == nil,
      let query = root["query"]?.string, let digest = queries.hash(Array(query.utf8))
    else { return nil }
    text = body
    hash = PersistedBody.body(root, digest, withText: false)
    both = PersistedBody.body(root, digest, withText: true)
  }

  private static func body(_ root: JSONElement, _ digest: String, withText: Bool) -> [UInt8] {
    var writer = JSONWriter()
    writer.writeObject { writer in
      for (key, value) in root.pairs where withText || key != "query" {
        writer.write(key: key, value)
      }
      writer.write(key: "extensions")
      writer.writeObject { writer in
        writer.write(key: "persistedQuery")
        writer.writeObject { writer in
          writer.write(key: "version", 1)
          writer.write(key: "sha256Hash", digest)
        }
      }
    }
    return writer.output
  }

  var bytes: [UInt8] {
    switch form {
    case .hash: hash
    case .both: both
    case .text: text
    }
  }

  /// Selects the next form if the response is about the hash. Returns whether the request has to be
  /// sent again.
  mutating func advance(after result: NetworkResult) -> Bool {
    guard form != .text, let body = result.body, body.count < PersistedBody.largestRefusal,
      let root = (try? JSONDocument(parsing: body))?.root
    else { return false }
    let errors = GraphQLError.list(root)
    func says(_ message: String, _ code: String) -> Bool {
      errors.contains { $0.message == message || $0.code == code }
    }
    if form == .hash, says("PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND") {
      form = .both
      return true
    }
    if says("PersistedQueryNotSupported", "PERSISTED_QUERY_NOT_SUPPORTED") {
      form = .text
      return true
    }
    return false
  }

  /// The size of the largest response, in bytes, that is searched for a refusal of the hash.
  private static let largestRefusal = 64 * 1024
}
