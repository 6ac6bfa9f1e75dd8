import LullCore
import LullHost

extension APICall {
  /// How its answer goes on, in words; nil: it does not come in pages.
  package var pagesText: String? {
    guard let pages else { return nil }
    var words: [String] = []
    switch pages.next {
    case .automatic: words.append("true")
    case .link: words.append("link")
    case .field(let field): words.append("next '\(field.text)'")
    case .asked: words.append("a function")
    case .cursor(let parameter, let field):
      words.append("cursor '\(parameter)' of '\(field.text)'")
    case .numbered(let parameter, let first, let step, let items):
      words.append("'\(parameter)' from \(first) by \(step), items '\(items.text)'")
    }
    if let max = pages.max { words.append("max \(max)") }
    if pages.allowsOtherOrigins { words.append("other origins too") }
    return words.joined(separator: ", ")
  }
}
