import LullCore

extension Lua.Value: CustomStringConvertible {
  /// The value as Lua code would write it, without what looks like a credential: `nil`, `3`, `"tea"`,
  /// `{"a", {n = 1}}`. (EMB-160)
  ///
  /// A table and a function are their word for the type, since reading a table may run code of Lua's; bytes are
  /// their number, objects of Lull's describe themselves. Home thread only.
  public var description: String {
    switch self {
    case .nil: "nil"
    case .null: "lull.null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): Self.quoted(CredentialMask.text(CredentialMask.body(text)))
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .list(let elements): "{" + elements.map(\.description).joined(separator: ", ") + "}"
    case .map(let fields): "{" + fields.map(Self.field).joined(separator: ", ") + "}"
    case .table, .function: typeName
    case .service(let service): service.description
    case .resource(let resource): resource.description
    case .request(let request): request.description
    case .entity(let entity): entity.description
    case .error(let error): error.description
    case .swiftError(let error): String(describing: error)
    case .other(let reference): reference.typeName
    }
  }

  private static func field(_ field: (key: Lua.Value, value: Lua.Value)) -> String {
    guard case .string(let name) = field.key else { return "[\(field.key)] = \(field.value)" }
    let value: Lua.Value =
      CredentialName.names(name) ? .string(CredentialMask.mark) : field.value
    return (isName(name) ? name : "[\(quoted(name))]") + " = \(value)"
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "_"): true
      default: false
      }
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      default:
        let isControl = scalar.properties.generalCategory == .control
        quoted += isControl ? "\\\(scalar.value)" : String(scalar)
      }
    }
    return quoted + "\""
  }
}
