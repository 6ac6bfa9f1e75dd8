import LullCore

/// What looks like a query in a path that somebody has written: `?name=value` at its end.
enum PathQuery {
  /// Its first parameter as people read it; nil if there is none.
  static func first(in path: UnsafeBufferPointer<UInt8>) -> (name: String, value: String)? {
    guard let mark = path.lastIndex(of: UInt8(ascii: "?")) else { return nil }
    let query = path[(mark + 1)...].prefix { $0 != UInt8(ascii: "&") }
    guard let equals = query.firstIndex(of: UInt8(ascii: "=")), equals > query.startIndex,
      !query[..<equals].contains(UInt8(ascii: "/"))
    else { return nil }
    let text = { (part: Slice<UnsafeBufferPointer<UInt8>>) in
      LogText.part(String(decoding: part, as: UTF8.self), limit: 40)
    }
    let name = text(query[..<equals])
    // It may be somebody's key.
    let value = CredentialName.names(name) ? "…" : text(query[(equals + 1)...])
    return (name, value)
  }
}
