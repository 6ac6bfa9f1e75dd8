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
