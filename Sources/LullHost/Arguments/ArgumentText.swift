import LullCore

/// Words of a command line as text, and back to the very bytes: file names need not be UTF-8.
enum ArgumentText {
  /// Where the scalars begin that stand for bytes which are no text; nobody types those.
  private static let base: UInt32 = 0x10_FF00

  static func decode(_ bytes: [UInt8]) -> String {
    guard !bytes.withUnsafeBufferPointer({ UTF8Validation.isValid($0) }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      if let scalar = Unicode.Scalar(byte < 0x80 ? UInt32(byte) : base + UInt32(byte)) {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  static func encode(_ text: some StringProtocol) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar -> [UInt8] in
      if scalar.value >= base + 0x80, scalar.value <= base + 0xFF {
        return [UInt8(scalar.value - base)]
      }
      return Array(String(scalar).utf8)
    }
  }
}
