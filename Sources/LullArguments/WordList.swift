/// Words as a sentence has them.
package enum WordList {
  /// `a`, `a or b`, `a, b or c`
  package static func text(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
