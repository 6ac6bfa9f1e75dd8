import CSimdjson
import LullCore

/// A number in a form in which numbers can be compared. Signed and unsigned 64-bit integers are
/// exact; other numbers are doubles.
enum SchemaNumber: Sendable {
  case int(Int64)
  /// An integer that is too large for `Int64`.
  case unsigned(UInt64)
  case double(Double)

  /// Reads a number; nil if the element is not a number.
  init?(_ element: JSONElement) {
    self.init(element.document.view, element.index)
  }

  /// Reads a number from the view of a document; nil if the value is not a number. The caller must
  /// keep the document alive.
  init?(_ view: csj_view, _ index: Int) {
    switch csj_type_at(view, index) {
    case CSJ_INT: self = .int(csj_int_at(view, index))
    case CSJ_DOUBLE:
      var value: UInt64 = 0
      self =
        csj_is_unsigned(view, index, &value) != 0
        ? .unsigned(value) : .double(csj_double_at(view, index))
    default: return nil
    }
  }

  /// Whether the number has no fraction. It may be written in any form, such as `2.0`.
  var isWhole: Bool {
    guard case .double(let value) = self else { return true }
    return value.rounded(.towardZero) == value
  }

  /// The number as a count; nil if it is negative or not a whole number. If it is too large, the
  /// count is `Int.max`.
  var count: Int? {
    switch self {
    case .int(let value): value >= 0 ? Int(value) : nil
    case .unsigned: Int.max
    case .double(let value):
      value >= 0 && isWhole ? (value >= 0x1p62 ? Int.max : Int(value)) : nil
    }
  }

  static func < (one: SchemaNumber, other: SchemaNumber) -> Bool { one.compared(to: other) < 0 }

  /// Compares this number to another. The result is negative if this number is smaller, zero if
  /// both are equal, and positive if this number is larger.
  func compared(to other: SchemaNumber) -> Int {
    switch (self, other) {
    case (.int(let one), .int(let other)): SchemaNumber.order(one, other)
    case (.unsigned(let one), .unsigned(let other)): SchemaNumber.order(one, other)
    case (.double(let one), .double(let other)): SchemaNumber.order(one, other)
    case (.int, .unsigned): -1
    case (.unsigned, .int): 1
    case (.int(let one), .double(let other)): SchemaNumber.compare(one, other)
    case (.unsigned(let one), .double(let other)): SchemaNumber.compare(one, other)
    case (.double, _): -other.compared(to: self)
    }
  }

  private static func order<Value: Comparable>(_ one: Value, _ other: Value) -> Int {
    one < other ? -1 : one == other ? 0 : 1
  }

  private static func compare<Whole: FixedWidthInteger>(_ one: Whole, _ other: Double) -> Int {
    guard let cut = Whole(exactly: other.rounded(.towardZero)) else { return other > 0 ? -1 : 1 }
    return one != cut ? order(one, cut) : order(0, other - Double(cut))
  }

  /// Returns whether this number is a multiple of `divisor`, computed exactly from the decimal
  /// digits. `divisor` must be greater than zero.
  func isMultiple(of divisor: SchemaNumber) -> Bool {
    guard let one = decimal, let other = divisor.decimal else { return false }
    if one.digits == 0 { return true }
    let shift = one.exponent - other.exponent
    guard shift < 0 else { return one.remainder(scaledBy: shift, by: other.digits) == 0 }
    // A 64-bit integer other than 0 can't be a multiple of 10^20, so larger shifts are not needed.
    guard -shift <= 19 else { return false }
    var scaled = other.digits
    for _ in 0..<(-shift) {
      let (product, overflow) = scaled.multipliedReportingOverflow(by: 10)
      if overflow { return false }
      scaled = product
    }
    return one.digits % scaled == 0
  }

  /// The absolute value of a number, stored as `digits` × 10^`exponent`.
  private struct Decimal {
    var digits: UInt64
    var exponent: Int

    func remainder(scaledBy power: Int, by divisor: UInt64) -> UInt64 {
      var result = digits % divisor
      var factor = 10 % divisor
      var power = power
      while power > 0 {
        if power & 1 == 1 { result = Decimal.product(result, factor, divisor) }
        factor = Decimal.product(factor, factor, divisor)
        power >>= 1
      }
      return result
    }

    private static func product(_ one: UInt64, _ other: UInt64, _ modulus: UInt64) -> UInt64 {
      // Both factors are less than the modulus, so the quotient fits into 64 bits.
      modulus.dividingFullWidth(one.multipliedFullWidth(by: other)).remainder
    }
  }

  private var decimal: Decimal? {
    switch self {
    case .int(let value): Decimal(digits: value.magnitude, exponent: 0)
    case .unsigned(let value): Decimal(digits: value, exponent: 0)
    case .double(let value): SchemaNumber.decimal(value)
    }
  }

  private static func decimal(_ value: Double) -> Decimal? {
    guard value.isFinite else { return nil }
    let text = value.magnitude.description
    let parts = text.split(separator: "e")
    var exponent = parts.count > 1 ? Int(parts[1].drop { $0 == "+" }) ?? 0 : 0
    let number = parts[0].split(separator: ".")
    let fraction = number.count > 1 ? number[1] : ""
    guard var digits = UInt64(number[0] + fraction) else { return nil }
    exponent -= fraction.count
    while digits != 0, digits.isMultiple(of: 10) {
      digits /= 10
      exponent += 1
    }
    return Decimal(digits: digits, exponent: exponent)
  }
}
