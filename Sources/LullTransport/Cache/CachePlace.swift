/// Where an entity is in a cache file: what must be the same for it to be the one that is looked for.
package struct CachePlace: Sendable, Hashable {
  /// Without user and password, which are part of the identity.
  package let url: String
  package let stage: String
  package let version: Int
  /// Empty: nobody in particular.
  package let identity: [UInt8]

  package init(url: String, stage: String, version: Int, identity: [UInt8] = []) {
    self.url = url
    self.stage = stage
    self.version = version
    self.identity = identity
  }

  var values: [SQLiteValue] {
    [.text(url), .text(stage), .integer(Int64(version)), .bytes(identity)]
  }

  /// Host and port, in lower case as they are in every resource's URL.
  var host: String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
    let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    return String(url[start..<end])
  }
}
