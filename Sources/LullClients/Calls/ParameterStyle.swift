/// How lists and objects, and the ends of single values, are written where a parameter stands.
/// (OpenAPI 3.1.1, "Style Values"; RFC 6570)
package enum ParameterStyle: String, CaseIterable {
  case simple
  case label
  case matrix
  case form
  case spaceDelimited
  case pipeDelimited
  case deepObject

  /// Those there are at a place, the usual one first; in a body only where that is a form.
  package static func styles(in place: CallParameter.Place) -> [ParameterStyle] {
    switch place {
    case .path: [.simple, .label, .matrix]
    case .query, .body: [.form, .spaceDelimited, .pipeDelimited, .deepObject]
    case .header: [.simple]
    case .cookie: [.form]
    }
  }

  /// Whether each element and member is written for itself unless the file says otherwise.
  package var explodes: Bool { self == .form || self == .deepObject }

  /// Whether single values have no such form.
  var needsParts: Bool { [.spaceDelimited, .pipeDelimited, .deepObject].contains(self) }
}
