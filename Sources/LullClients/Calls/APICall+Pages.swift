import LullCore
package import LullHost

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
    case .cursor(let cursor):
      let items = cursor.items.map { " of the last of '\($0.text)'" } ?? ""
      let more = cursor.more.map { ", while '\($0.text)'" } ?? ""
      words.append("cursor '\(cursor.parameter)' of '\(cursor.field.text)'\(items)\(more)")
    case .numbered(let parameter, let first, let step, let items):
      words.append("'\(parameter)' from \(first) by \(step), items '\(items.text)'")
    case .offset(let parameter, let first, let items):
      words.append("offset '\(parameter)' from \(first), items '\(items.text)'")
    }
    if let max = pages.max { words.append("max \(max)") }
    if pages.allowsOtherOrigins { words.append("other origins too") }
    return words.joined(separator: ", ")
  }

  /// Whether a function tells the next page.
  package var asksForPages: Bool { if case .asked? = pages?.next { true } else { false } }

  /// Where that is defined; nil: there is none, or it is gone.
  package var pagesDefinition: TraceFrame? { pages?.definition }
}
