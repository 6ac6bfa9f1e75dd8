import LullCore

/// Which values the keywords of JSON Schema may have: documents have others, which would make a schema none.
enum SchemaKeywords {
  static func allows(_ value: JSONElement, for keyword: String) -> Bool {
    switch keyword {
    case "multipleOf": value.double.map { $0 > 0 } ?? false
    case "minimum", "maximum": value.double != nil
    // In OpenAPI 3.0 they say how another one is meant.
    case "exclusiveMinimum", "exclusiveMaximum": value.double != nil || value.bool != nil
    case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
      "minContains", "maxContains":
      value.int.map { $0 >= 0 } ?? false
    case "enum": value.kind == .array
    case "required": value.kind == .array && value.elements.allSatisfy { $0.string != nil }
    case "uniqueItems": value.bool != nil
    case "allOf", "anyOf", "oneOf", "prefixItems": value.kind == .array && value.count > 0
    case "properties", "patternProperties", "dependentSchemas", "dependentRequired", "$defs",
      "definitions":
      value.kind == .object
    default: true
    }
  }
}
