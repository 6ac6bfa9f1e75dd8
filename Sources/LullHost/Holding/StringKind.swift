import CLullBridge
import LullCore

extension StoredValues {
  /// How a Lua string is converted to content.
  enum StringKind {
    case bytes
    /// Text; the string must be valid UTF-8.
    case text
    /// Text if the string is valid UTF-8, otherwise bytes.
    case either
  }

  /// Converts a script value to content. If the content is stored in Lua, the caller must anchor
  /// it.
  func content(
    _ value: lull_value, _ state: OpaquePointer?, _ index: Int32, strings: StringKind = .either
  ) throws(Misuse) -> Content {
    guard value.kind == Int32(LULL_STRING) else {
      let id = try keep(state, index)
      return .foreign(ForeignContent(id: id, typeName: value.typeName))
    }
    guard strings != .bytes, value.isValidUTF8 else {
      guard strings != .text else {
        throw .message(
          "'output' is \"text\", and the string is not valid UTF-8: return valid text, "
            + "or use output = \"data\"")
      }
      return .bytes(value.bytes ?? [])
    }
    return .text(value.string ?? "")
  }
}
