/// Sends GraphQL documents as hashes, and as text only to a server that does not know the hash: the
/// "automatic persisted queries" of Apollo. Requires a hash function, for which `LullTransport` has
/// `PersistedQueries.sha256`. (GQL-46) Lua: the setting `persisted_queries`.
///
/// Order of events: the request is sent with the SHA-256 hash in place of `query`. If the server
/// responds that it does not know the hash, the request is sent again with both, and the server
/// stores the document. If the server does not support hashes, the request is sent again as text, and
/// so are all later requests of the service. A server does not support hashes if it says so, or if
/// it refuses the hash for another reason and accepts the text.
///
/// Streams, downloads, and bodies that contain secrets or have `extensions` are sent as text.
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

  /// Whether the text was sent because the server did not say why it refused the hash. If the server
  /// accepts the text, it does not support hashes.
  private(set) var isGuess = false

  /// Selects the next form if the response refuses the hash. Returns whether the request has to be
  /// sent again. This is done only if the server has executed nothing, because the request may be a
  /// mutation: the response has no data, and its errors belong to no field.
  mutating func advance(after result: NetworkResult) -> Bool {
    guard form != .text, let root = PersistedBody.root(of: result), root["data"]?.isNull ?? true
    else { return false }
    let errors = GraphQLError.list(root)
    guard !errors.isEmpty, errors.allSatisfy(\.path.isEmpty) else { return false }
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
    // A server that does not know hashes finds no document. Without the member `data`, nothing was
    // executed. (GraphQL specification, section 7.1)
    guard form == .hash, root["data"] == nil else { return false }
    form = .text
    isGuess = true
    return true
  }

  /// Returns whether the server has accepted the text after it had refused the hash without a reason.
  func provesRefusal(_ result: NetworkResult) -> Bool {
    isGuess && PersistedBody.root(of: result)?["data"]?.isNull == false
  }

  private static func root(of result: NetworkResult) -> JSONElement? {
    guard let body = result.body, body.count < largestRefusal else { return nil }
    return (try? JSONDocument(parsing: body))?.root
  }

  /// The size of the largest response, in bytes, that is searched for a refusal of the hash.
  private static let largestRefusal = 64 * 1024
}
