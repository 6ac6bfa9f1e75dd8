/// What `Cache-Control` says, as far as it concerns somebody who caches for himself. (RFC 9111, section 5.2)
///
/// What is meant for shared caches (`s-maxage`, `proxy-revalidate`, `public`) is passed over; so are
/// directives nobody knows.
package struct CacheControl: Equatable {
  /// Not to be kept where it outlives the process.
  package var isNoStore = false
  /// Not to be used without asking the server whether it still holds. With names of headers, too: a cache
  /// may take that for all of it. (Section 5.2.2.4)
  package var isNoCache = false
  /// For how many seconds an answer is fresh; 0 of a `max-age` that is no number: what cannot be
  /// understood is taken for stale. (Section 4.2.1) The first of several.
  package var maxAge: Double?

  package init(_ headers: Headers) {
    for value in headers.values("cache-control") {
      for directive in CacheControl.directives(value) {
        let name = directive.prefix(while: CacheControl.isTokenCharacter)
        switch name.lowercased() {
        case "no-store": isNoStore = true
        case "no-cache": isNoCache = true
        case "max-age" where maxAge == nil:
          let rest = directive.dropFirst(name.count)
          maxAge =
            rest.first == "=" ? DeltaSeconds.parse(CacheControl.argument(rest.dropFirst())) ?? 0 : 0
        default: break
        }
      }
    }
  }

  /// Whether the headers say `no-store`, in any letter case and at any place, other than inside the quoted
  /// value of something else.
  static func forbidsStoring(_ headers: Headers) -> Bool { CacheControl(headers).isNoStore }

  /// A quoted value is what stands between the quotation marks.
  private static func argument(_ text: Substring) -> Substring {
    guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
    return text.dropFirst().dropLast()
  }

  /// Split at the commas outside quoted values; a quotation mark without its like is none.
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

/// For how long an answer is fresh, by what it says itself. (AGE-01; RFC 9111, section 4.2)
///
/// `max-age` comes before `Expires`; `no-cache` and `no-store` are fresh for no time at all, and so is what
/// says nothing, or nothing that can be understood: there are no guesses from `Last-Modified` (AGE-02).
package struct HTTPFreshness: Equatable {
  /// From when it was made, in seconds.
  package let lifetime: Double
  /// How old it was when it arrived, in seconds: what `Age` says and what it took to come, or what its
  /// `Date` tells, if that is more. (Section 4.2.3)
  package let initialAge: Double

  /// For how many seconds from its arrival on; 0 if it was stale by then.
  package var remaining: Double { max(0, lifetime - initialAge) }

  /// - Parameters:
  ///   - arrival: Unix seconds.
  ///   - elapsed: what the exchange took, in seconds.
  ///   - isNoStore: whether the request said `no-store`.
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
      // Of several none is known to be meant. (Section 4.2.1)
      let end = expires.count == 1 ? HTTPDate.parse(exactly: expires[0], now: arrival) : nil
      lifetime = end.map { max(0, $0 - (date ?? arrival)) } ?? 0
    }
  }

  /// Of several in one line the first.
  private static func age(_ text: String) -> Double? {
    let first = text.prefix { $0 != "," }
    return DeltaSeconds.parse(first.trimmingBlanks)
  }
}

extension Entity {
  /// For how long it is fresh by what it says itself.
  package var httpFreshness: HTTPFreshness {
    HTTPFreshness(
      headers, arrival: timestamp, elapsed: exchange?.elapsed ?? 0,
      isNoStore: exchange?.forbidsStoring ?? false)
  }

  /// Whether the answer to a HEAD request shows that the server has another representation by now: by
  /// ETag, or by Last-Modified if one of the two has no ETag. (AGE-09; RFC 9111, section 4.3.5)
  package func isOutdated(by head: Entity) -> Bool {
    guard head.exchange?.status == 200 else { return false }
    for name in ["etag", "last-modified"] {
      if let known = headers.bytes(name), let new = head.headers.bytes(name) { return known != new }
    }
    return false
  }
}

/// What a 304 says anew of an answer that is kept: its headers, and what of the request they depend on.
package struct Refreshment: Sendable, Equatable {
  let headers: Headers
  /// Of the request that was answered so.
  let request: Headers

  package init(_ headers: Headers, to request: Headers) {
    self.headers = headers
    self.request = request
  }
}

extension Entity {
  /// Takes over what a 304 says; content and age stay. (AGE-04; RFC 9111, section 4.3.4)
  package mutating func refresh(by refreshment: Refreshment) {
    var merged = headers.refreshed(by: refreshment.headers)
    // Ages are counted from now on, whatever they were.
    for name in ["age", "date"] where refreshment.headers[name] == nil { merged.remove(name) }
    headers = merged
    exchange?.variant = Variant(of: merged, to: refreshment.request)
    exchange?.elapsed = nil
  }
}

/// What of its request an answer depends on: the values that the headers had which its `Vary` names.
/// (AGE-05; RFC 9111, section 4.1)
///
/// Values that hold secrets count by their masks.
package struct Variant: Sendable, Equatable {
  /// For each name in their order, `name: value`, or the name alone where it was not sent; `*` for what
  /// depends on more than headers.
  private let lines: [String]

  /// nil of an answer without `Vary`.
  ///
  /// - Parameter isPart: whether it is a part (206), which depends on the `Range` that was asked for.
  package init?(of answer: Headers, to request: Headers, isPart: Bool = false) {
    let names = Variant.names(answer) + (isPart ? ["range"] : [])
    guard !names.isEmpty else { return nil }
    lines = names.map { Variant.line($0, request) }
  }

  /// Whether an answer of which this is the variant is one to a request with those headers.
  package func answers(_ request: Headers) -> Bool {
    lines.allSatisfy { line in
      let name = line.prefix { $0 != ":" }
      return name != "*" && Variant.line(String(name), request) == line
    }
  }

  /// In lower case, each once.
  private static func names(_ answer: Headers) -> [String] {
    let names = answer.listedNames("vary")
    return names.contains("*") ? ["*"] : names.sorted()
  }

  /// Repeated headers are one, and blanks around commas mean nothing.
  private static func line(_ name: String, _ request: Headers) -> String {
    let values = request.values(name)
    guard !values.isEmpty else { return name }
    let parts = values.joined(separator: ",").split(
      separator: ",", omittingEmptySubsequences: false)
    return name + ":" + parts.map { $0.trimmingBlanks }.joined(separator: ",")
  }

  /// One text for each variant, the same for the same; for a digest.
  package var text: String { lines.joined(separator: "\n") }
}
