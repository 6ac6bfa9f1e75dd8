import FlyingFox
import Foundation

/// One thing in a collection, with what HTTP needs to tell its versions apart.
struct Item: Sendable {
  let id: Int
  var members: [(name: String, value: JSON)]
  /// In whole seconds since 1970.
  var modified: Int

  var json: JSON { .object([(name: "id", value: .int(id))] + members) }

  /// Made from the content, so it changes when and only when the content does (FNV-1a).
  var etag: String {
    let hash = json.text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return "\"\(String(hash, radix: 16))\""
  }

  var validators: [(String, String)] {
    [("ETag", etag), ("Last-Modified", HTTPDate.string(from: modified))]
  }

  /// Whether the client's copy is good. An entity tag decides alone; dates are for clients
  /// without one (RFC 9110, 13.2.2).
  func isCurrent(for headers: HTTPHeaders) -> Bool {
    if let tags = headers[.ifNoneMatch] {
      return tags.split(separator: ",").contains { tag in
        let tag = tag.trimmingCharacters(in: .whitespaces)
        return tag == "*" || (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag) == etag
      }
    }
    guard let date = headers[.ifModifiedSince].flatMap(HTTPDate.seconds) else { return false }
    return modified <= date
  }
}
