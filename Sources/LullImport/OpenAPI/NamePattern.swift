/// A glob over names, tags and paths: `*` is any text, `?` any character.
package struct NamePattern: Sendable {
  package let text: String
  private let pattern: [Character]

  package init(_ text: String) {
    self.text = text
    pattern = Array(text)
  }

  package func matches(_ text: String) -> Bool {
    let text = Array(text)
    var place = 0
    var at = 0
    // Where the last `*` stands, and how much it has taken so far.
    var star: Int?
    var taken = 0
    while place < text.count {
      if at < pattern.count, pattern[at] == "?" || pattern[at] == text[place], pattern[at] != "*" {
        place += 1
        at += 1
      } else if at < pattern.count, pattern[at] == "*" {
        star = at
        taken = place
        at += 1
      } else if let star {
        at = star + 1
        taken += 1
        place = taken
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == "*" }
  }
}
