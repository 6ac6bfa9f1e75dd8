/// One member of the Lua API, described: what help, annotations and the reference page say of it.
///
/// Plain text, nothing computed: the tables of `APIDescription` cost nothing until somebody reads
/// them. Tests hold them against the bridge's own tables.
package struct APIEntry: Sendable {
  package enum Kind: String, Sendable {
    /// `lull.sleep(…)`
    case function
    /// `resource:load()`
    case method
    /// `resource.url`
    case property
    /// What an operator or a statement of Lua does with the object: a metamethod.
    case operation
    /// A key of a table that a script hands over or is given.
    case field
    /// A string that stands for something: an event, a kind of error.
    case word
  }

  package let kind: Kind
  package let name: String
  /// One signature a line, in the form of `APISignature`; empty for what is not called.
  package let signature: String
  /// The LuaCATS type of a property or field; `?` at its end: may be nil or absent.
  package let type: String
  package let isWritable: Bool
  /// How it is written in Lua where that does not follow from the name, as for operations.
  package let shown: String?
  /// One sentence.
  package let summary: String
  /// Order of events, what it does not do, errors, whether it may wait. Markdown; may be empty.
  package let text: String
  /// Lua to be read and run after `APIDescription.prelude`. `--> text` is what its line prints.
  package let example: String
  /// Its name in Swift; nil where Swift has other means, or none.
  package let swift: String?
  /// The rules it follows, by their IDs.
  package let rules: String

  package var signatures: [APISignature] {
    signature.split(separator: "\n").compactMap { APISignature(String($0)) }
  }

  package static func function(
    _ name: String, _ signature: String, _ summary: String, _ text: String = "",
    example: String = "", swift: String? = nil, rules: String = ""
  ) -> APIEntry {
    APIEntry(
      kind: .function, name: name, signature: signature, type: "", isWritable: false, shown: nil,
      summary: summary, text: text, example: example, swift: swift, rules: rules)
  }

  package static func method(
    _ name: String, _ signature: String, _ summary: String, _ text: String = "",
    example: String = "", swift: String? = nil, rules: String = ""
  ) -> APIEntry {
    APIEntry(
      kind: .method, name: name, signature: signature, type: "", isWritable: false, shown: nil,
      summary: summary, text: text, example: example, swift: swift, rules: rules)
  }

  package static func property(
    _ name: String, _ type: String, _ summary: String, _ text: String = "",
    writable: Bool = false, example: String = "", swift: String? = nil, rules: String = ""
  ) -> APIEntry {
    APIEntry(
      kind: .property, name: name, signature: "", type: type, isWritable: writable, shown: nil,
      summary: summary, text: text, example: example, swift: swift, rules: rules)
  }

  package static func operation(
    _ name: String, _ signature: String, shown: String, _ summary: String, _ text: String = "",
    example: String = "", swift: String? = nil, rules: String = ""
  ) -> APIEntry {
    APIEntry(
      kind: .operation, name: name, signature: signature, type: "", isWritable: false,
      shown: shown, summary: summary, text: text, example: example, swift: swift, rules: rules)
  }

  package static func field(
    _ name: String, _ type: String, _ summary: String, _ text: String = "",
    example: String = "", swift: String? = nil, rules: String = ""
  ) -> APIEntry {
    APIEntry(
      kind: .field, name: name, signature: "", type: type, isWritable: true, shown: nil,
      summary: summary, text: text, example: example, swift: swift, rules: rules)
  }

  static func word(
    _ name: String, _ summary: String, swift: String? = nil, rules: String = ""
  ) -> APIEntry {
    APIEntry(
      kind: .word, name: name, signature: "", type: "", isWritable: false, shown: nil,
      summary: summary, text: "", example: "", swift: swift, rules: rules)
  }
}
