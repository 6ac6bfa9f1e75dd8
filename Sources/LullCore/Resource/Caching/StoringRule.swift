/// Whether an answer may be kept where it outlives the process. (RFC 9111, section 5.2.2.5)
enum StoringRule {
  /// Why nothing is written, in words of the log.
  static let reason = "Cache-Control: no-store"

  /// Whether one of the headers says `no-store`, in any letter case and at any place, other than inside
  /// the quoted value of something else.
  static func forbids(_ headers: Headers) -> Bool {
    headers.values("cache-control").contains { value in
      directives(value).contains { $0.prefix(while: isTokenCharacter).lowercased() == "no-store" }
    }
  }

  /// Split at the commas outside quoted values; a quotation mark without its like is none.
  private static func directives(_ value: String) -> [Substring] {
    var parts: [Substring] = []
    var start = value.startIndex
    var place = start
    func end(_ place: String.Index) {
      parts.append(value[start..<place].drop { $0 == " " || $0 == "\t" })
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

extension Entity {
  /// Whether it came with `no-store`, or an exchange that was asked for with it.
  package var forbidsStoring: Bool {
    exchange?.forbidsStoring ?? false || StoringRule.forbids(headers)
  }
}
