/// The documentation of a setting for help, annotations and the reference. It has two parts: one
/// for the member of the object that is passed to settings functions, and one for the field in
/// tables of settings.
struct SettingDocumentation: Sendable {
  struct Part: Sendable {
    var type = ""
    /// The signature, if the member is a method; otherwise empty.
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

  /// Creates documentation with the same text for the member and for the field. The field is always
  /// optional.
  ///
  /// - Parameters:
  ///   - type: the type of the member. If the type ends with `?` or `|nil`, the value may be nil.
  ///   - summary: a sentence without its full stop.
  ///   - standard: a description of the default; nil if the default needs no description.
  ///   - text: additional text for the field.
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
