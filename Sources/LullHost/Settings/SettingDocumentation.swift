/// The documentation of a setting for help, annotations and the reference: as a member of the
/// object passed to settings functions, and as a field of tables of settings.
struct SettingDocumentation: Sendable {
  struct Part: Sendable {
    var type = ""
    /// Only for a method.
    var signature = ""
    var summary: String
    var text = ""
    var example = ""
    var isWritable = false
    var rules = ""
  }

  let inObject: Part
  let inTable: Part
  let swift: String

  init(inObject: Part, inTable: Part, swift: String) {
    self.inObject = inObject
    self.inTable = inTable
    self.swift = swift
  }

  /// Creates documentation that is the same for both, except that the table's field is optional.
  ///
  /// - Parameters:
  ///   - type: the type of the member; it may be nil if it ends with `?` or `|nil`.
  ///   - summary: a sentence without its full stop.
  ///   - standard: the default; nil if it needs no description.
  ///   - text: additional text for the table's field.
  init(
    _ type: String, _ summary: String, default standard: String? = nil, _ text: String = "",
    swift: String, rules: (inObject: String, inTable: String) = ("", "")
  ) {
    self.init(
      inObject: Part(
        type: type, summary: summary + ".", isWritable: true, rules: rules.inObject),
      inTable: Part(
        type: SettingDocumentation.optional(type),
        summary: summary + (standard.map { "; default \($0)." } ?? "."), text: text,
        isWritable: true, rules: rules.inTable),
      swift: swift)
  }

  private static func optional(_ type: String) -> String {
    if type.hasSuffix("?") || type.hasSuffix("|nil") { return type }
    return type.contains("|") ? type + "|nil" : type + "?"
  }

  func property(called name: String) -> APIEntry {
    entry(inObject, inObject.signature.isEmpty ? .property : .method, name)
  }

  func field(called name: String) -> APIEntry { entry(inTable, .field, name) }

  private func entry(_ part: Part, _ kind: APIEntry.Kind, _ name: String) -> APIEntry {
    APIEntry(
      kind: kind, label: .made(name), signatureText: .made(part.signature), type: part.type,
      isWritable: part.isWritable, shown: nil, summary: part.summary, text: part.text,
      example: part.example, swift: swift, rules: part.rules)
  }
}
