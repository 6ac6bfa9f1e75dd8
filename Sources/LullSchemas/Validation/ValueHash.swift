import CSimdjson

/// Computes hashes of JSON values, to find repeated elements quickly. Equal values have equal
/// hashes, so only elements with the same hash must be compared.
enum ValueHash {
  static func of(_ index: Int, in view: csj_view) -> UInt64 {
    switch csj_type_at(view, index) {
    case CSJ_NULL: return 1
    case CSJ_FALSE: return 2
    case CSJ_TRUE: return 3
    case CSJ_INT: return number(Double(csj_int_at(view, index)))
    case CSJ_DOUBLE: return number(csj_double_at(view, index))
    case CSJ_STRING: return text(index, in: view)
    case CSJ_ARRAY:
      var hash: UInt64 = 7
      var place = csj_first(view, index)
      let end = csj_end(view, index)
      while place < end {
        hash = mixed(hash &* 31 &+ of(place, in: view))
        place = csj_after(view, place)
      }
      return hash
    default:
      var hash: UInt64 = 11
      for pair in SchemaRun.pairs(of: index, in: view) {
        hash &+= mixed(text(Int(pair.key), in: view) &* 31 &+ of(Int(pair.value), in: view))
      }
      return hash
    }
  }

  private static func number(_ value: Double) -> UInt64 {
    mixed((value == 0 ? 0 : value).bitPattern)
  }

  private static func text(_ index: Int, in view: csj_view) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(SchemaRun.bytes(of: index, in: view)))
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = (value ^ (value >> 33)) &* 0xff51_afd7_ed55_8ccd
    value = (value ^ (value >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return value ^ (value >> 33)
  }
}
