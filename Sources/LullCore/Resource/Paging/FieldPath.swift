/// The way to a field of content: its name, names with dots between them, or a JSON Pointer.
package struct FieldPath {
  package let text: String
  /// Names of members, from the outside; the first way that leads somewhere counts.
  package let ways: [[String]]

  package init(_ text: String) {
    self.text = text
    if text.hasPrefix("/") {
      let names = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      ways = [names.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }]
    } else {
      let names = text.split(separator: ".").map(String.init)
      ways = names.count > 1 ? [[text], names] : [[text]]
    }
  }

  /// By names of members, from the outside, whatever characters they have.
  init(names: [String]) {
    self.init(text: names.joined(separator: "."), ways: [names])
  }

  /// The content itself.
  private init() {
    text = ""
    ways = [[]]
  }

  package static let root = FieldPath()

  /// The same way, one step further.
  package func appending(_ name: String) -> FieldPath {
    FieldPath(text: text + "." + name, ways: ways.map { $0 + [name] })
  }

  private init(text: String, ways: [[String]]) {
    self.text = text
    self.ways = ways
  }
}

/// What a path leads to, as far as paging is concerned.
package enum FieldValue: Equatable {
  /// Not there, null, false or an empty string.
  case nothing
  /// A string, or a number written as one.
  case text(String)
  /// A number whose digits are not known to be those of the server.
  case inexact
  case list(count: Int)
  /// A table that is no list.
  case object
  /// Anything else, by the name of its type.
  case other(String)
}
