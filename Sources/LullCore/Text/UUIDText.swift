/// Identifiers that nobody else makes, as `6ba7b810-9dad-41d1-80b4-00c04fd430c8`. (RFC 9562)
package enum UUIDText {
  /// Version 4: 122 random bits.
  package static func random(using generator: inout some RandomNumberGenerator) -> String {
    text(high: generator.next(), low: generator.next(), version: 4)
  }

  /// Version 7: the time first, to the millisecond and in fourths of a microsecond beyond, so that later
  /// ones are sorted behind earlier ones; then 62 random bits.
  ///
  /// - Parameter seconds: since 1970, not before and before the year 10,889.
  package static func ordered(
    at seconds: Double, using generator: inout some RandomNumberGenerator
  ) -> String {
    // A clock that is set by hand may go anywhere: there are 48 bits for it.
    let milliseconds = min(max(0, seconds * 1000), 0xFFFF_FFFF_FFFF)
    let whole = milliseconds.rounded(.down)
    let fraction = UInt64((milliseconds - whole) * 4096)
    return text(high: UInt64(whole) << 16 | fraction, low: generator.next(), version: 7)
  }

  private static func text(high: UInt64, low: UInt64, version: UInt64) -> String {
    let high = high & ~0xF000 | version << 12
    let low = low & ~(3 << 62) | 2 << 62
    let bytes = [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.text(bytes[$0]) }
      .joined(separator: "-")
  }
}
