/// One member of the Lua API: its name, signature and implementation, and its documentation for
/// help, annotations and the reference page.
///
/// An entry without an implementation documents something that Lua code or the bridge does, or
/// something that is not called: a field or a string constant. Nothing is computed until an entry
/// is read.
package struct APIEntry: Sendable {
  package enum Kind: String, Sendable {
    /// A function of a module, such as `lull.sleep(…)`.
    case function
    /// A method of an object, such as `resource:load()`.
    case method
    /// A property of an object, such as `resource.url`.
    case property
    /// A metamethod: the effect of a Lua operator or statement on the object.
    case operation
    /// A key of a table that a script passes or gets.
    case field
    /// A string constant, such as an event or a kind of error.
    case word
  }

  /// The implementation, run when a member is called, read or assigned.
  package typealias Body = @Sendable (Call) throws(Misuse) -> Void

  package let kind: Kind
  /// The member's name, in the format that the bridge reads.
  let label: APIText
  /// One signature per line, in the format of `APISignature`; empty if the member is not called.
  /// The argument letters are derived from these signatures unless `arguments` is set.
  let signatureText: APIText
  /// The LuaCATS type of a property or field. A `?` at the end means that the value may be nil or
  /// absent.
  package let type: String
  package let isWritable: Bool
  /// The member as it is written in Lua code, such as `entity == other`. It is nil if the spelling
  /// follows from the name; for operations it does not.
  package let shown: String?
  /// One sentence that describes the member.
  package let summary: String
  /// Details in Markdown: the order of events, limitations, errors, and whether the member may
  /// wait. May be empty.
  package let text: String
  /// An example in Lua that readers see and tests run, preceded by `APIDescription.prelude`. A
  /// comment `--> text` is the output of its line.
  package let example: String
  /// The name of the Swift counterpart, or nil if Swift has no direct counterpart.
  package let swift: String?
  /// The IDs of the behaviours that the member implements.
  package let rules: String
  /// The argument letters (`lull_method.arguments`), or nil to derive them from the signatures.
  var arguments: StaticString?
  /// The implementation that runs when the member is called or read.
  var body: Body?
  /// The implementation that runs when a value is assigned to the member.
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

  /// Creates the entry of a property.
  ///
  /// - Parameter writable: whether scripts can assign the property although there is no `set`.
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

  /// Creates the entry of a metamethod. Lua decides which arguments a metamethod gets, so the
  /// bridge checks only the arguments of `__call`.
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

  /// Returns an undocumented member that is not called by name. It is either a metamethod that
  /// every object has, or a function that is bound to its object and that scripts get as an
  /// argument or result.
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
  /// The text as a NUL-terminated C string. Every string literal ends with a NUL.
  var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
