/// The `Cache-Control` directives that concern a private cache. (RFC 9111, section 5.2)
///
/// Directives for shared caches (`s-maxage`, `proxy-revalidate`, `public`) and unknown directives
/// are ignored.
package struct CacheControl: Equatable {
  /// The response must not be stored persistently.
  package var isNoStore = false
  /// The response must not be used without validation by the server. A `no-cache` directive with
  /// header names sets this property too: a cache may treat it as `no-cache` for the whole
  /// response. (Section 5.2.2.4)
  package var isNoCache = false
  /// The content must be used unchanged. (Section 5.2.1.6)
  package var isNoTransform = false
  /// The freshness lifetime in seconds, from the first `max-age`. If the value of `max-age` is not
  /// a number, the lifetime is 0, because invalid values count as stale. (Section 4.2.1)
  package var maxAge: Double?

  package init(_ headers: Headers) {
    for value in headers.values("cache-control") {
      for directive in CacheControl.directives(value) {
        let name = directive.prefix(while: CacheControl.isTokenCharacter)
        switch name.lowercased() {
        case "no-store": isNoStore = true
        case "no-cache": isNoCache = true
        case "no-transform": isNoTransform = true
        case "max-age" where maxAge == nil:
          let rest = directive.dropFirst(name.count)
          maxAge =
            rest.first == "=" ? DeltaSeconds.parse(CacheControl.argument(rest.dropFirst())) ?? 0 : 0
        default: break
        }
      }
    }
  }

  /// Whether the headers contain `no-store`, in any letter case and anywhere except inside a quoted
  /// value.
  static func forbidsStoring(_ headers: Headers) -> Bool { CacheControl(headers).isNoStore }

  /// Removes the quotation marks of a quoted argument.
  private static func argument(_ text: Substring) -> Substring {
    guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
    return text.dropFirst().dropLast()
  }

  /// Splits the value of a header at commas outside quoted strings. An unpaired quotation mark is
  /// an ordinary character.
  private static func directives(_ value: String) -> [Substring] {
    var parts: [Substring] = []
    var start = value.startIndex
    var place = start
    func end(_ place: String.Index) {
      parts.append(value[start..<place].trimmingBlanks)
    }
    while place < value.endIndex {
      if value[place] == "," {
        end(place)
        start = value.index(after: place)
      } else if value[place] == "\"", let close = closing(value, place) {
        place = close
      }
      place = value.index(after: place)
    }
    end(value.endIndex)
    return parts
  }

  private static func closing(_ value: String, _ quote: String.Index) -> String.Index? {
    var place = value.index(after: quote)
    while place < value.endIndex {
      if value[place] == "\"" { return place }
      if value[place] == "\\" { place = value.index(after: place) }
      guard place < value.endIndex else { return nil }
      place = value.index(after: place)
    }
    return nil
  }

  private static func isTokenCharacter(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
  }
}

/// How long a response is fresh according to its headers. (AGE-01; RFC 9111, section 4.2)
///
/// `max-age` takes precedence over `Expires`. The lifetime is 0 with `no-cache` or `no-store`, and
/// also if neither `max-age` nor `Expires` is valid. It is not estimated from `Last-Modified`
/// (AGE-02).
package struct HTTPFreshness: Equatable {
  /// The freshness lifetime in seconds, counted from the time at which the server created the
  /// response.
  package let lifetime: Double
  /// The age of the response on arrival, in seconds: the value of `Age` plus the duration of the
  /// exchange, or the time since `Date` if that is longer. (Section 4.2.3)
  package let initialAge: Double

  /// The time for which the response stays fresh after its arrival, in seconds; 0 if the response
  /// was stale on arrival.
  package var remaining: Double { max(0, lifetime - initialAge) }

  /// Computes the freshness of a response from its headers.
  ///
  /// - Parameters:
  ///   - arrival: The time at which the response arrived, in seconds since 1970.
  ///   - elapsed: The duration of the exchange, in seconds.
  ///   - isNoStore: Whether the request contained `no-store`.
  init(_ headers: Headers, arrival: Double, elapsed: Double, isNoStore: Bool = false) {
    let date = headers.values("date").first.flatMap { HTTPDate.parse($0, now: arrival) }
    let age = headers.values("age").first.flatMap { HTTPFreshness.age($0) } ?? 0
    initialAge = max(age + elapsed, date.map { arrival - $0 } ?? 0, 0)
    let control = CacheControl(headers)
    if control.isNoCache || control.isNoStore || isNoStore {
      lifetime = 0
    } else if let maxAge = control.maxAge {
      lifetime = maxAge
    } else {
      let expires = headers.values("expires")
      // If there are several `Expires` headers, none is used. (Section 4.2.1)
      let end = expires.count == 1 ? HTTPDate.parse(exactly: expires[0], now: arrival) : nil
      lifetime = end.map { max(0, $0 - (date ?? arrival)) } ?? 0
    }
  }

  /// Parses the value of an `Age` header. If the value is a list, the first element is used.
  private static func age(_ text: String) -> Double? {
    let first = text.prefix { $0 != "," }
    return DeltaSeconds.parse(first.trimmingBlanks)
  }
}

extension Entity {
  /// The freshness of the entity according to its own headers.
  package var httpFreshness: HTTPFreshness {
    HTTPFreshness(
      headers, arrival: timestamp, elapsed: exchange?.elapsed ?? 0,
      isNoStore: exchange?.forbidsStoring ?? false)
  }

  /// Whether the response to a HEAD request shows that the representation on the server differs
  /// from this entity. Compares the ETags. If one of the two responses has no ETag, compares
  /// Last-Modified. (AGE-09; RFC 9111, section 4.3.5)
  package func isOutdated(by head: Entity) -> Bool {
    guard head.exchange?.status == 200 else { return false }
    for name in ["etag", "last-modified"] {
      if let known = headers.bytes(name), let new = head.headers.bytes(name) { return known != new }
    }
    return false
  }
}

/// The values with which a 304 response updates a stored response: the headers of the 304 response,
/// and the headers of the request that was answered with 304.
package struct Refreshment: Sendable, Equatable {
  let headers: Headers
  /// The headers of the request that was answered with 304.
  let request: Headers

  package init(_ headers: Headers, to request: Headers) {
    self.headers = headers
    self.request = request
  }
}

extension Entity {
  /// Replaces the stored headers with the headers of a 304 response. The content and the timestamp
  /// are unchanged. (AGE-04; RFC 9111, section 4.3.4)
  package mutating func refresh(by refreshment: Refreshment) {
    var merged = headers.refreshed(by: refreshment.headers)
    // From now on, the age is counted from the 304 response, whatever it was before.
    for name in ["age", "date"] where refreshment.headers[name] == nil { merged.remove(name) }
    headers = merged
    exchange?.variant = Variant(of: merged, to: refreshment.request)
    exchange?.elapsed = nil
  }
}

/// The values of the request headers that the `Vary` header of a response names. The response
/// depends on these request headers. (AGE-05; RFC 9111, section 4.1)
///
/// Values that contain secrets are represented by their masks.
package struct Variant: Sendable, Equatable {
  /// One line for each request header on which the response depends: `name: value`, or only the
  /// name if the request had no such header. The only line is `*` if the response also depends on
  /// other things than request headers.
  private let lines: [String]

  /// Makes the variant of the response `answer` to a request with the headers `request`. Returns
  /// nil for a response without `Vary`.
  ///
  /// - Parameter isPart: Whether the response is partial (206). A partial response also depends on
  ///   the requested `Range`.
  package init?(of answer: Headers, to request: Headers, isPart: Bool = false) {
    let names = Variant.names(answer) + (isPart ? ["range"] : [])
    guard !names.isEmpty else { return nil }
    lines = names.map { Variant.line($0, request) }
  }

  /// Whether a stored response with this variant may be used for a request with these headers.
  package func answers(_ request: Headers) -> Bool {
    lines.allSatisfy { line in
      let name = line.prefix { $0 != ":" }
      return name != "*" && Variant.line(String(name), request) == line
    }
  }

  /// The header names that `Vary` lists, in lower case and without duplicates.
  private static func names(_ answer: Headers) -> [String] {
    let names = answer.listedNames("vary")
    return names.contains("*") ? ["*"] : names.sorted()
  }

  /// Returns the line of the variant for the request header `name`. Repeated headers are joined,
  /// and blanks around commas are ignored.
  private static func line(_ name: String, _ request: Headers) -> String {
    let values = request.values(name)
    guard !values.isEmpty else { return name }
    let parts = values.joined(separator: ",").split(
      separator: ",", omittingEmptySubsequences: false)
    return name + ":" + parts.map { $0.trimmingBlanks }.joined(separator: ",")
  }

  /// A text that identifies the variant. It is used in a digest.
  package var text: String { lines.joined(separator: "\n") }
}
