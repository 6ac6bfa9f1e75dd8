/// A request body with secrets in it, masked until it is sent.
public struct SecretBody: Sendable {
  package let template: SecretTemplate
  package let contentType: String

  package init(_ template: SecretTemplate, contentType: String) {
    self.template = template
    self.contentType = contentType
  }

  /// The same under another content type, if one is given.
  package func typed(_ contentType: String?) -> SecretBody {
    SecretBody(template, contentType: contentType ?? self.contentType)
  }

  /// Pairs escaped, joined, and sorted by what is seen of them.
  package init(form pairs: [(name: String, value: SecretText)]) {
    let sorted =
      pairs
      .map { (name: SecretEscaping.form.escaped($0.name.utf8), value: $0.value) }
      .map {
        ($0.name, $0.value, $0.name + [UInt8(ascii: "=")] + SecretEscaping.form.masked($0.value))
      }
      .sorted { $0.2.lexicographicallyPrecedes($1.2) }
    var template = SecretTemplate()
    for (index, (name, value, _)) in sorted.enumerated() {
      if index > 0 { template.append(CollectionOfOne(UInt8(ascii: "&"))) }
      template.append(name)
      template.append(CollectionOfOne(UInt8(ascii: "=")))
      template.append(value, .form)
    }
    self.init(template, contentType: "application/x-www-form-urlencoded")
  }
}
