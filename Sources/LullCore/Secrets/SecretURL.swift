/// The URL of a resource some of whose query parameters hold secrets.
///
/// What the resource shows as its URL has their masks, raw: with a space in each, so that no text
/// somebody wrote can be that URL.
package final class SecretURL: Sendable, Equatable {
  /// With each mask escaped like any other value.
  let escaped: ResourceURL
  /// By name.
  let values: [String: SecretText]
  let template: SecretTemplate

  /// nil if there is no secret.
  init?(escaped: ResourceURL, values: [String: SecretText]) {
    guard !values.isEmpty else { return nil }
    self.escaped = escaped
    self.values = values
    template = SecretURL.template(escaped, values)
  }

  /// What is shown.
  var masked: ResourceURL { ResourceURL(unchecked: template.maskedText) }

  package static func == (left: SecretURL, right: SecretURL) -> Bool {
    left === right || left.escaped == right.escaped && left.values == right.values
  }

  private static func template(_ url: ResourceURL, _ values: [String: SecretText])
    -> SecretTemplate
  {
    var template = SecretTemplate()
    let text = url.percentEncoded.utf8
    guard let mark = text.firstIndex(of: UInt8(ascii: "?")) else {
      template.append(text)
      return template
    }
    let texts = Dictionary(
      values.map { (SecretEscaping.parameter.escaped($0.key.utf8), $0.value) },
      uniquingKeysWith: { first, _ in first })
    let start = text.index(after: mark)
    let end = text[start...].firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    template.append(text[..<start])
    var isFirst = true
    for pair in text[start..<end].split(
      separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    {
      if !isFirst { template.append(CollectionOfOne(UInt8(ascii: "&"))) }
      isFirst = false
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      if let value = texts[Array(pair[..<equals])] {
        template.append(pair[..<equals])
        template.append(CollectionOfOne(UInt8(ascii: "=")))
        template.append(value, .parameter)
      } else {
        template.append(pair)
      }
    }
    template.append(text[end...])
    return template
  }
}

/// The value of a query parameter.
package enum ParameterValue {
  case text(String)
  case secret(SecretText)
}
