/// Sizes as people read them.
package enum ByteCount {
  /// Such as `17 B` and `1.5 MB`, of 1024 each.
  package static func text(_ bytes: Int) -> String {
    for (unit, name) in [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")] where bytes >= unit {
      let (whole, rest) = bytes.quotientAndRemainder(dividingBy: unit)
      let tenths = whole * 10 + (rest * 10 + unit / 2) / unit
      return "\(tenths / 10).\(tenths % 10) \(name)"
    }
    return "\(bytes) B"
  }
}
