import LullCore

/// What stands for itself where a parameter is written, and what is an escape. (RFC 3986, section 2)
struct ParameterEscapes {
  /// Beside letters, digits and `-._~`.
  private let bare: Set<UInt8>
  /// Of those, what is escaped all the same.
  private let never: Set<UInt8>

  /// Nothing that is reserved.
  static let strict = ParameterEscapes(bare: [], never: [])

  private init(bare: Set<UInt8>, never: Set<UInt8>) {
    self.bare = bare
    self.never = never
  }

  /// - Parameters:
  ///   - place: where, if reserved characters may stand there: those that would end it are escaped all the same.
  ///   - separators: what means something between the parts of the value.
  init(reservedIn place: CallParameter.Place?, separators: String) {
    let bare =
      switch place {
      case .path: ":@!$&'()*+,;=/"
      case .query, .body: ":/?@!$'()*,;="
      // What may stand in one. (RFC 6265, 4.1.1)
      case .cookie: ":/?#[]@!$&'()*+="
      case .header, nil: ""
      }
    self.init(bare: Set(bare.utf8), never: Set(separators.utf8))
  }

  func escaped(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isBare(byte) {
        result.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      !never.contains(byte)
    default: bare.contains(byte) && !never.contains(byte)
    }
  }
}
