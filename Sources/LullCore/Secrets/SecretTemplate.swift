/// A URL or body that contains secrets at known positions, and its masked form.
package struct SecretTemplate: Sendable, Hashable {
  package enum Piece: Sendable, Hashable {
    case literal([UInt8])
    case value(SecretText, SecretEscaping)
  }

  package private(set) var pieces: [Piece] = []
  /// The bytes of the URL or body, with a mask in place of each secret. All code except the
  /// transport sees only these bytes.
  package private(set) var masked: [UInt8] = []

  package init() {}

  /// Creates a template without secrets.
  init(_ bytes: some Sequence<UInt8>) {
    append(bytes)
  }

  package mutating func append(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    masked += bytes
    if case .literal(let before)? = pieces.last {
      pieces[pieces.count - 1] = .literal(before + bytes)
    } else {
      pieces.append(.literal(bytes))
    }
  }

  package mutating func append(_ value: SecretText, _ escaping: SecretEscaping) {
    pieces.append(.value(value, escaping))
    masked += escaping.masked(value)
  }

  mutating func append(_ other: SecretTemplate) {
    for piece in other.pieces {
      switch piece {
      case .literal(let bytes): append(bytes)
      case .value(let text, let escaping): append(text, escaping)
      }
    }
  }

  /// The bytes that are not secret.
  var literals: [UInt8] {
    pieces.flatMap { piece in
      if case .literal(let bytes) = piece { bytes } else { [UInt8]() }
    }
  }

  /// Returns the URL without query parameters that contain a secret, if `isCredential` returns true
  /// for their names. `isCredential` gets each name as it is written in the URL.
  func withoutParameters(_ isCredential: (ArraySlice<UInt8>) -> Bool) -> SecretTemplate {
    let (front, fragment) = split(before: UInt8(ascii: "#"))
    var (result, rest) = front.split(before: UInt8(ascii: "?"))
    var separator = UInt8(ascii: "?")
    while !rest.masked.isEmpty {
      let (head, tail) = rest.withoutFirst().split(before: UInt8(ascii: "&"))
      rest = tail
      let name = head.masked.prefix { $0 != UInt8(ascii: "=") }
      if !head.texts.isEmpty, isCredential(name) { continue }
      result.append(CollectionOfOne(separator))
      result.append(head)
      separator = UInt8(ascii: "&")
    }
    result.append(fragment)
    return result
  }

  /// Removes the first byte of the template. It must not belong to a secret.
  private func withoutFirst() -> SecretTemplate {
    var result = SecretTemplate()
    for (number, piece) in pieces.enumerated() {
      switch piece {
      case .literal(let bytes): result.append(number == 0 ? bytes.dropFirst() : bytes[...])
      case .value(let text, let escaping): result.append(text, escaping)
      }
    }
    return result
  }

  /// Splits the template before the first `byte` that is not inside a secret.
  func split(before byte: UInt8) -> (SecretTemplate, SecretTemplate) {
    var front = SecretTemplate()
    var rest = SecretTemplate()
    var isBehind = false
    for piece in pieces {
      switch piece {
      case .literal(let bytes):
        let place = isBehind ? bytes.startIndex : bytes.firstIndex(of: byte)
        let end = place ?? bytes.endIndex
        if end > 0 { front.append(bytes[..<end]) }
        if end < bytes.count { rest.append(bytes[end...]) }
        isBehind = isBehind || place != nil
      case .value(let text, let escaping):
        if isBehind { rest.append(text, escaping) } else { front.append(text, escaping) }
      }
    }
    return (front, rest)
  }

  /// Returns the template with all bytes outside secrets transformed by `literal`.
  package func replacing(_ literal: ([UInt8]) -> [UInt8]) -> SecretTemplate {
    var template = SecretTemplate()
    for piece in pieces {
      switch piece {
      case .literal(let bytes): template.append(literal(bytes))
      case .value(let text, let escaping): template.append(text, escaping)
      }
    }
    return template
  }

  package var maskedText: String { String(escaping: masked) }

  package var secrets: [Secret] { texts.flatMap(\.secrets) }

  /// The secret texts in the template, in order.
  package var texts: [SecretText] {
    pieces.compactMap { piece in
      if case .value(let text, _) = piece { text } else { nil }
    }
  }
}

/// The escaping of a secret at the position where it is inserted.
package enum SecretEscaping: Sendable, Hashable {
  /// The secret is escaped as a value in a query.
  case parameter
  /// The secret is escaped as a value in a form.
  case form
  /// The secret is escaped as content of a JSON string.
  case json
  /// The secret is not escaped, because its text is escaped already.
  case verbatim

  package func escaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    switch self {
    case .parameter:
      ResourceURL.Escaping.append(bytes, to: &result, keeping: ResourceURL.Escaping.parameter)
    case .form: ResourceURL.Escaping.append(bytes, to: &result, keeping: ResourceURL.Escaping.form)
    case .json: SecretEscaping.appendJSON(bytes, to: &result)
    case .verbatim: result += bytes
    }
    return result
  }

  /// Returns the masked text with the literal text escaped. Masks are not escaped, except in JSON,
  /// where a quotation mark in a mask would end the string.
  package func masked(_ text: SecretText) -> [UInt8] {
    var result: [UInt8] = []
    for piece in text.pieces {
      switch piece {
      case .literal(let text): result += escaped(text.utf8)
      case .secret(let secret):
        result += self == .json ? escaped(secret.mask.utf8) : Array(secret.mask.utf8)
      case .base64, .escaped, .digest: result += SecretText([piece]).masked.utf8
      }
    }
    return result
  }

  private static func appendJSON(_ bytes: some Sequence<UInt8>, to result: inout [UInt8]) {
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        result += Array("\\u00".utf8)
        result.append(ResourceURL.Escaping.hexDigit(byte >> 4))
        result.append(ResourceURL.Escaping.hexDigit(byte & 15))
      default: result.append(byte)
      }
    }
  }
}
