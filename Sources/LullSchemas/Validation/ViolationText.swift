import LullCore

/// Formats values of contents and schemas for messages.
enum ViolationText {
  /// Returns a value as JSON if it is short. Otherwise returns its type.
  static func value(_ element: JSONElement) -> String {
    if element.kind == .array || element.kind == .object { return kind(element) }
    var bytes: [UInt8] = []
    element.encode(into: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.count > 60 else { return LogText.part(text) }
    return LogText.part(String(text.prefix(57))) + "…\""
  }

  static func kind(_ element: JSONElement) -> String {
    switch element.kind {
    case .null: "null"
    case .bool: "true or false"
    case .int, .double: "a number"
    case .string: "a string"
    case .array:
      element.count == 0 ? "an empty array" : "an array of \(count(element.count, "element"))"
    case .object:
      element.count == 0 ? "an empty object" : "an object of \(count(element.count, "member"))"
    }
  }

  /// Returns a list of allowed values as text.
  static func list(_ values: [JSONElement]) -> String {
    let texts = values.prefix(8).map(value)
    guard texts.count > 1 else { return texts.first ?? "nothing" }
    return "one of " + texts.joined(separator: ", ")
      + (values.count > texts.count ? " and \(values.count - texts.count) others" : "")
  }

  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
