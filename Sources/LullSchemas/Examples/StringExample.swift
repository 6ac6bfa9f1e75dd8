import LullCore

/// A text in the form that schemas demand.
struct StringExample {
  private let schemas: [JSONElement]

  init(_ schemas: [JSONElement]) {
    self.schemas = schemas
  }

  private static let formats: [String: String] = [
    "date-time": "2024-01-01T00:00:00Z", "date": "2024-01-01", "time": "00:00:00Z",
    "duration": "P1D", "email": "user@example.com", "idn-email": "user@example.com",
    "hostname": "example.com", "idn-hostname": "example.com", "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1", "uri": "https://example.com/", "uri-reference": "/",
    "iri": "https://example.com/", "iri-reference": "/", "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000", "json-pointer": "/a",
    "relative-json-pointer": "0", "regex": "a", "byte": "AA==", "uri-template": "/{id}",
  ]

  /// - Parameter seed: different for elements that may not be the same. nil: none is found.
  func text(_ seed: Int) -> String? {
    let least =
      schemas.compactMap { $0["minLength"].flatMap { SchemaNumber($0)?.count } }.max() ?? 0
    let most =
      schemas.compactMap { $0["maxLength"].flatMap { SchemaNumber($0)?.count } }.min() ?? Int.max
    guard least <= most, least <= 1 << 20 else { return nil }
    if let format = schemas.lazy.compactMap({ $0["format"]?.string }).first,
      let text = StringExample.formats[format]
    {
      return text
    }
    if let pattern = schemas.lazy.compactMap({ $0["pattern"]?.string }).first {
      return PatternExample.text(pattern, least: least, most: most)
    }
    let word = seed == 0 ? "string" : "string\(seed)"
    if word.count < least {
      return word + String(repeating: "x", count: least - word.count)
    }
    return word.count > most ? String(word.suffix(most)) : word
  }
}
