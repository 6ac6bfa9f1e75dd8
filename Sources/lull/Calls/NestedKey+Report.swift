import LullHost
import LullSystem

extension NestedKey.Problem {
  /// The item, what is wrong, and the place marked below its key.
  func report(in item: RequestItem) -> String {
    let text = "'\(item.word)': \(message)"
    guard let range else { return text }
    let scalars = item.name.unicodeScalars
    func shown(_ part: String.UnicodeScalarView.SubSequence) -> String {
      let line = String(part).replacing("\n", with: " ").replacing("\t", with: " ")
      return ControlCharacters.shown(in: line)
    }
    let before = TextWidth.of(shown(scalars.prefix(range.lowerBound)))
    let marked = TextWidth.of(shown(scalars.dropFirst(range.lowerBound).prefix(range.count)))
    return text + "\n  " + shown(scalars[...]) + "\n  " + String(repeating: " ", count: before)
      + String(repeating: "^", count: max(1, marked))
  }
}
