import LullCore

/// Where an entity is on the server: a digest of what must be the same for it to be the one that is looked for,
/// which tells nobody what that is, and the keys that are made of it.
///
/// What a namespace keeps is in `parts` parts, each in one place of a cluster and with indexes of its own.
struct SharedCachePlace: Hashable, Sendable {
  /// Hexadecimal; what others are told by that something has been written.
  let digest: String
  /// What the keys of its part begin with.
  let tag: String

  static let parts = 8
  private static let digestBytes = 16

  /// nil without a library for digests.
  ///
  /// - Parameter secret: of the cache; nil: what the server's settings say.
  init?(_ place: CachePlace, _ settings: ShareSettings, _ secret: SharedCacheSecret?) {
    var text: [UInt8] = []
    let identity = Hexadecimal.text(place.identity)
    for piece in ["entity", place.url, place.stage, String(place.version), identity] {
      text += "\(piece.utf8.count):\(piece)\n".utf8
    }
    guard let bytes = secret.map({ $0.digest(of: text) }) ?? settings.digest(of: text),
      bytes.count >= SharedCachePlace.digestBytes
    else { return nil }
    digest = Hexadecimal.text(bytes.prefix(SharedCachePlace.digestBytes))
    let part = Int(bytes[bytes.count - 1]) % SharedCachePlace.parts
    tag = SharedCachePlace.tag(part, settings.namespace)
  }

  private init(digest: String, tag: String) {
    self.digest = digest
    self.tag = tag
  }

  /// Another one of the same part.
  func neighbour(_ digest: String) -> SharedCachePlace { .init(digest: digest, tag: tag) }

  static func tag(_ part: Int, _ namespace: String) -> String {
    "lull:{\(namespace):cache:\(part)}"
  }

  /// What is kept there.
  var key: String { "\(tag):e:\(digest)" }

  /// Who fetches it.
  var lease: String { "\(tag):f:\(digest)" }

  /// The indexes of a part: when each entry was used last, when it ends, and how large it is.
  static func indexes(_ tag: String) -> [String] { ["\(tag):used", "\(tag):ends", "\(tag):sizes"] }

  var indexes: [String] { SharedCachePlace.indexes(tag) }
}
