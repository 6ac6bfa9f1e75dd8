/// Types of Foundation that need special treatment in JSON, as in `JSONDecoder` and `JSONEncoder`:
/// `URL`, `Data` and `Decimal`. Their form in JSON differs from the form in which they encode
/// themselves. (COD-62)
///
/// The core doesn't import Foundation, so the types are found by name. A program without Foundation
/// has none of them.
enum FoundationType {
  /// `URL`, which is a string in JSON.
  case url
  /// `Data`, which is a Base64 string in JSON.
  case data
  /// `Decimal`, which is a number in JSON.
  case decimal

  /// Identifies a type of Foundation. Returns nil for any other type.
  @inline(__always)
  init?(_ type: any Any.Type) {
    guard let loaded = FoundationType.loaded else { return nil }
    if type == loaded.url {
      self = .url
    } else if type == loaded.data {
      self = .data
    } else if type == loaded.decimal {
      self = .decimal
    } else {
      return nil
    }
  }

  private struct Loaded {
    let url: any Any.Type
    let data: any Any.Type
    let decimal: any Any.Type

    init?() {
      // The mangled names in Foundation on Linux and on Apple platforms.
      guard
        let url = Loaded.type("20FoundationEssentials3URLV", "10Foundation3URLV"),
        let data = Loaded.type("20FoundationEssentials4DataV", "10Foundation4DataV"),
        let decimal = Loaded.type("20FoundationEssentials7DecimalV", "So9NSDecimala")
      else { return nil }
      self.url = url
      self.data = data
      self.decimal = decimal
    }

    private static func type(_ names: String...) -> (any Any.Type)? {
      names.lazy.compactMap { _typeByName($0) }.first
    }
  }

  private static let loaded = Loaded()
}

// MARK: - Decoding

extension TapeReader {
  /// Decodes the value at the tape position `place` as a Foundation type, with the same result as
  /// `JSONDecoder`.
  func foundation<Value: Decodable>(
    _ kind: FoundationType, _ type: Value.Type, at place: Int
  ) throws -> Value {
    switch kind {
    case .url:
      let parts = JSONValue.object([.init("relative", .string(try string(at: place)))])
      return try decoded(type, from: parts, or: "it is not a URL", at: place)
    case .data:
      let text = try string(at: place)
      // Strict Base64, as in Foundation.
      let letters = Array(text.utf8)
      guard letters.count % 4 == 0, !letters.contains(where: FoundationType.isForeign),
        let bytes = try? Base64.decode(letters),
        let data = FoundationType.collection(of: bytes, as: type)
      else { throw corrupted("it is not Base64", at: place) }
      return data
    case .decimal:
      guard let number = element(at: place).double else {
        throw mismatch(type, "a number", at: place)
      }
      let digits = digits(at: place)
      // A Decimal can't represent numbers beyond the range of doubles.
      guard number.isFinite, let parts = DecimalParts(digits) else {
        throw corrupted("\(digits) does not fit Decimal", at: place)
      }
      return try decoded(type, from: parts.encoded, or: "it does not fit Decimal", at: place)
    }
  }

  /// Decodes a value of `type` from `parts`. `parts` is the form in which the type encodes itself.
  private func decoded<Value: Decodable>(
    _ type: Value.Type, from parts: JSONValue, or message: String, at place: Int
  ) throws -> Value {
    do {
      let root = try JSONDocument(parsing: try parts.encode()).root
      let reader = TapeReader(root, userInfo: [:])
      return try Value(from: TapeDecoder(reader: reader, place: root.index, depth: 0))
    } catch {
      // The coding path of the caught error would refer to the intermediate document.
      throw corrupted(message, at: place)
    }
  }

  private func corrupted(_ message: String, at place: Int) -> any Error {
    DecodingError.dataCorrupted(
      .init(codingPath: path(to: place), debugDescription: message))
  }
}

extension FoundationType {
  /// Whether Foundation refuses the letter in Base64: letters that belong only to the URL alphabet
  /// of Base64, blanks and control characters.
  fileprivate static func isForeign(_ letter: UInt8) -> Bool {
    letter <= 32 || letter == UInt8(ascii: "-") || letter == UInt8(ascii: "_")
  }

  /// Converts bytes to a value of `type`, a collection type of the program such as `Data`. Returns
  /// nil if `type` is not a collection of bytes.
  fileprivate static func collection<Value>(of bytes: [UInt8], as type: Value.Type) -> Value? {
    guard let type = type as? any RangeReplaceableCollection<UInt8>.Type else { return nil }
    return made(type, of: bytes) as? Value
  }

  private static func made<Bytes: RangeReplaceableCollection<UInt8>>(
    _ type: Bytes.Type, of bytes: [UInt8]
  ) -> Any { Bytes(bytes) }
}

/// A number in the encoding of Foundation's `Decimal`: a 128-bit integer times a power of ten.
struct DecimalParts {
  private let mantissa: UInt128
  private let exponent: Int
  private let isNegative: Bool

  /// Parses a decimal number. Digits beyond 128 bits are truncated, as in Foundation. Returns nil
  /// if `Decimal` can't represent the number. (COD-71)
  ///
  /// - Parameter digits: A number in the format of Swift and JSON.
  init?(_ digits: String) {
    var mantissa: UInt128 = 0
    var exponent = 0
    var isNegative = false
    var isFraction = false
    var isFull = false
    var rest = Substring(digits)
    if rest.first == "-" {
      isNegative = true
      rest.removeFirst()
    }
    while let letter = rest.first, letter != "e", letter != "E" {
      rest.removeFirst()
      if letter == "." {
        isFraction = true
        continue
      }
      guard let digit = letter.wholeNumberValue else { return nil }
      if !isFull, let next = DecimalParts.appended(digit, to: mantissa) {
        mantissa = next
        if isFraction { exponent -= 1 }
      } else {
        isFull = true
        if !isFraction { exponent += 1 }
      }
    }
    if !rest.isEmpty {
      guard let power = Int(rest.dropFirst()) else { return nil }
      exponent += power
    }
    if mantissa == 0 { (exponent, isNegative) = (0, false) }
    while mantissa != 0, mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    // If the exponent is too large, move powers of ten into the digits.
    while exponent > 127 {
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      mantissa = product
      exponent -= 1
    }
    guard exponent >= -128 else { return nil }
    self.mantissa = mantissa
    self.exponent = exponent
    self.isNegative = isNegative
  }

  /// Appends a decimal digit to an integer. Returns nil if the result exceeds 128 bits.
  private static func appended(_ digit: Int, to mantissa: UInt128) -> UInt128? {
    let (high, overflow) = mantissa.multipliedReportingOverflow(by: 10)
    let (sum, carries) = high.addingReportingOverflow(UInt128(digit))
    return overflow || carries ? nil : sum
  }

  var encoded: JSONValue {
    let words = (0..<8).map { Int(truncatingIfNeeded: mantissa >> (16 * $0) & 0xFFFF) }
    let length = words.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    return .object([
      .init("exponent", .int(exponent)), .init("length", .int(length)),
      .init("isNegative", .bool(isNegative)), .init("isCompact", .bool(true)),
      .init("mantissa", .array(words.map { .int($0) })),
    ])
  }
}

// MARK: - Encoding

extension FoundationType {
  /// Encodes a value of this Foundation type.
  ///
  /// - Parameter own: Encodes the value in the form that the type itself defines.
  /// - Returns: The encoded value, or nil if JSON can't represent the value.
  func encoded(_ value: some Encodable, own: () throws -> EncodedValue) throws -> EncodedValue? {
    switch self {
    case .url:
      guard case .object(let object) = try own() else { return nil }
      let parts = object.members.reduce(into: [String: String]()) { parts, member in
        if case .string(let text) = member.value { parts[member.key] = text }
      }
      guard let relative = parts["relative"] else { return nil }
      guard let base = parts["base"] else { return .string(relative) }
      return .string(ResourceURL(absolute: base)?.relative(relative)?.text ?? relative)
    case .data:
      guard let bytes = value as? any Sequence<UInt8> else { return nil }
      return .string(String(decoding: Base64.encode(Array(bytes)), as: UTF8.self))
    case .decimal:
      let digits = "\(value)"
      // The text of NaN contains no digits.
      return digits.utf8.contains { $0 >= 48 && $0 <= 57 } ? .digits(digits) : nil
    }
  }
}
