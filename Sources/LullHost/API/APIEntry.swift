/// One member of the Lua API: its name and signature, what help, annotations and the reference page say
/// of it, and what it does.
///
/// An entry without a function describes what Lua code or the bridge does, or what is not called: fields
/// and words. Nothing in it is computed: it costs nothing until somebody reads it.
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

  /// What a member does when it is called, read or assigned.
  package typealias Body = @Sendable (Call) throws(Misuse) -> Void

  package let kind: Kind
  /// As the bridge has it.
  let label: APIText
  /// One signature a line, in the form of `APISignature`; empty for what is not called. The letters of
  /// the arguments follow from it, unless `arguments` has them.
  let signatureText: APIText
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
  /// The letters of the arguments (`lull_method.arguments`) where they do not follow from the signature.
  var arguments: StaticString?
  /// Called or read.
  var body: Body?
  /// Assigned.
  var setter: Body?

  package var name: String { label.string }
  package var signature: String { signatureText.string }

  package var signatures: [APISignature] {
    signature.split(separator: "\n").compactMap { APISignature(String($0)) }
  }

  package static func function(
    _ name: StaticString, _ signature: StaticString, _ summary: String, _ text: String = "",
    example: String = "", swift: String? = nil, rules: String = "",
    arguments: StaticString? = nil, body: Body? = nil
  ) -> APIEntry {
    APIEntry(
      kind: .function, label: .literal(name), signatureText: .literal(signature), type: "",
      isWritable: false, shown: nil, summary: summary, text: text, example: example, swift: swift,
      rules: rules, arguments: arguments, body: body)
  }

  package static func method(
    _ name: StaticString, _ signature: StaticString, _ summary: String, _ text: String = "",
    example: String = "", swift: String? = nil, rules: String = "",
    arguments: StaticString? = nil, body: Body? = nil
  ) -> APIEntry {
    APIEntry(
      kind: .method, label: .literal(name), signatureText: .literal(signature), type: "",
      isWritable: false, shown: nil, summary: summary, text: text, example: example, swift: swift,
      rules: rules, arguments: arguments, body: body)
  }

  /// - Parameter writable: whether it can be assigned, if `set` does not say so.
  package static func property(
    _ name: StaticString, _ type: String, _ summary: String, _ text: String = "",
    writable: Bool = false, example: String = "", swift: String? = nil, rules: String = "",
    get: Body? = nil, set: Body? = nil
  ) -> APIEntry {
    APIEntry(
      kind: .property, label: .literal(name), signatureText: .literal(""), type: type,
      isWritable: writable || set != nil, shown: nil, summary: summary, text: text,
      example: example, swift: swift, rules: rules, body: get, setter: set)
  }

  /// Lua hands metamethods what it likes: of their arguments only those of `__call` are checked.
  package static func operation(
    _ name: StaticString, _ signature: StaticString, shown: String, _ summary: String,
    _ text: String = "", example: String = "", swift: String? = nil, rules: String = "",
    arguments: StaticString? = nil, body: Body? = nil
  ) -> APIEntry {
    let isCall = name.utf8CodeUnitCount == 6 && name.utf8Start[3] == UInt8(ascii: "a")
    return APIEntry(
      kind: .operation, label: .literal(name), signatureText: .literal(signature), type: "",
      isWritable: false, shown: shown, summary: summary, text: text, example: example,
      swift: swift, rules: rules, arguments: arguments ?? (isCall ? nil : "*"), body: body)
  }

  package static func field(
    _ name: StaticString, _ type: String, _ summary: String, _ text: String = "",
    example: String = "", swift: String? = nil, rules: String = ""
  ) -> APIEntry {
    APIEntry(
      kind: .field, label: .literal(name), signatureText: .literal(""), type: type,
      isWritable: true, shown: nil, summary: summary, text: text, example: example, swift: swift,
      rules: rules)
  }

  static func word(
    _ name: StaticString, _ summary: String, swift: String? = nil, rules: String = ""
  ) -> APIEntry {
    APIEntry(
      kind: .word, label: .literal(name), signatureText: .literal(""), type: "",
      isWritable: false, shown: nil, summary: summary, text: "", example: "", swift: swift,
      rules: rules)
  }

  /// One that nobody calls by name and nothing describes: a metamethod that every object has, or a
  /// function that scripts get bound to its object, as an argument or result.
  package static func hidden(
    _ name: StaticString, _ arguments: StaticString = "*", body: @escaping Body
  ) -> APIEntry {
    APIEntry(
      kind: .operation, label: .literal(name), signatureText: .literal(""), type: "",
      isWritable: false, shown: nil, summary: "", text: "", example: "", swift: nil, rules: "",
      arguments: arguments, body: body)
  }
}

/// Text that the bridge reads from the program's data, or text that was made.
enum APIText: Sendable {
  case literal(StaticString)
  case made(String)

  var string: String {
    switch self {
    case .literal(let text): text.description
    case .made(let text): text
    }
  }
}

extension StaticString {
  /// Terminated by a NUL, like every string literal.
  var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
