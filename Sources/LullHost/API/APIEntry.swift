/// One member of the Lua API: its name, signature and implementation, and its documentation for
/// help, annotations and the reference page.
///
/// An entry without an implementation documents something done by Lua code or the bridge, or
/// something that is not called: a field or a word. Nothing is computed until an entry is read.
package struct APIEntry: Sendable {
  package enum Kind: String, Sendable {
    /// `lull.sleep(…)`
    case function
    /// `resource:load()`
    case method
    /// `resource.url`
    case property
    /// The effect of a Lua operator or statement on the object: a metamethod.
    case operation
    /// A key of a table that a script passes or gets.
    case field
    /// A string constant: an event, a kind of error.
    case word
  }

  /// The implementation, run when a member is called, read or assigned.
  package typealias Body = @Sendable (Call) throws(Misuse) -> Void

  package let kind: Kind
  /// The name in the bridge's format.
  let label: APIText
  /// One signature per line, in the format of `APISignature`; empty if the member is not called.
  /// The argument letters are derived from it unless `arguments` is set.
  let signatureText: APIText
  /// The LuaCATS type of a property or field; it may be nil or absent if it ends with `?`.
  package let type: String
  package let isWritable: Bool
  /// The spelling in Lua, if it does not follow from the name, as for operations.
  package let shown: String?
  /// One sentence.
  package let summary: String
  /// The order of events, limitations, errors, and whether it may wait. Markdown; may be empty.
  package let text: String
  /// Lua code to be read and run after `APIDescription.prelude`. `--> text` is the output of its
  /// line.
  package let example: String
  /// The Swift name; nil if Swift has another way, or none.
  package let swift: String?
  /// The IDs of the rules it follows.
  package let rules: String
  /// The argument letters (`lull_method.arguments`), if they do not follow from the signature.
  var arguments: StaticString?
  /// Run for a call or a read.
  var body: Body?
  /// Run for an assignment.
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

  /// - Parameter writable: whether it can be assigned although there is no `set`.
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

  /// Lua decides which arguments a metamethod gets, so only those of `__call` are checked.
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

  /// Returns an undocumented member that is not called by name: a metamethod that every object has,
  /// or a function that scripts get bound to its object, as an argument or result.
  package static func hidden(
    _ name: StaticString, _ arguments: StaticString = "*", body: @escaping Body
  ) -> APIEntry {
    APIEntry(
      kind: .operation, label: .literal(name), signatureText: .literal(""), type: "",
      isWritable: false, shown: nil, summary: "", text: "", example: "", swift: nil, rules: "",
      arguments: arguments, body: body)
  }
}

/// Text in the program's static data, or generated text.
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
  /// A NUL-terminated string, as every string literal is.
  var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
