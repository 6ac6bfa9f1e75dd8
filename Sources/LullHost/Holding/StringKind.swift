import CLullBridge
import LullCore

extension StoredValues {
  /// How a string of Lua's becomes content.
  enum StringKind {
    case bytes
    /// It must be valid UTF-8.
    case text
    /// Text if it is valid UTF-8, else bytes.
    case either
  }

  /// A value as content. The caller anchors what is kept.
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
