internal import CSimdjson

/// Telling text from other bytes.
package enum UTF8Validation {
  /// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing cut off.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    csj_is_utf8(bytes.baseAddress, bytes.count) != 0
  }

  /// How many bytes a character takes whose first one this is; 0 if none begins so.
  package static func length(startingWith byte: UInt8) -> Int { csj_utf8_length(byte) }

  /// How many bytes the well-formed character takes that begins at a place; 0 if there is none.
  package static func length(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let rest = UnsafeBufferPointer(rebasing: bytes[place...])
    return csj_utf8_sequence(rest.baseAddress, rest.count)
  }
}
