import LullCore

/// A word of a recording that may be a token nobody has named: where it stands, and how it begins.
package struct Leftover: Sendable, Equatable, CustomStringConvertible {
  /// Which exchange, from 1.
  package let number: Int
  /// `request URL`, `response body` and the like.
  package let place: String
  /// Not all of it.
  package let beginning: String

  package var description: String { "number \(number), \(place): \(beginning)…" }

  /// Those of a recording, each word once, at its first place.
  package static func all(in entries: [HAREntry]) -> [Leftover] {
    var seen: Set<String> = []
    var found: [Leftover] = []
    func look(_ text: String, _ number: Int, _ place: String) {
      for word in RandomText.words(in: text) where seen.insert(word).inserted {
        found.append(Leftover(number: number, place: place, beginning: String(word.prefix(6))))
      }
    }
    for (index, entry) in entries.enumerated() {
      look(entry.request.url, index + 1, "request URL")
      for header in entry.request.headers {
        look(String(escaping: header.value), index + 1, "request header '\(header.name)'")
      }
      look(String(escaping: entry.request.body?.bytes ?? []), index + 1, "request body")
      for header in entry.response?.headers ?? [] where header.name.lowercased() != "etag" {
        look(String(escaping: header.value), index + 1, "response header '\(header.name)'")
      }
      look(String(escaping: entry.response?.body?.bytes ?? []), index + 1, "response body")
      for (place, body) in [
        ("request body", entry.request.body), ("response body", entry.response?.body),
      ] {
        for number in NamedCredentials.numbers(inBody: body?.bytes ?? [])
        where seen.insert(number).inserted {
          found.append(
            Leftover(number: index + 1, place: place, beginning: String(number.prefix(2))))
        }
      }
    }
    return found
  }
}
