/// A type of a field, an argument or a variable: a named type with its list and non-null wrappers.
package indirect enum GraphQLType: Hashable, Sendable, CustomStringConvertible {
  case named(String)
  case list(GraphQLType)
  case nonNull(GraphQLType)

  /// The type as written, such as `[ID!]!`.
  package var description: String {
    switch self {
    case .named(let name): name
    case .list(let item): "[\(item)]"
    case .nonNull(let type): "\(type)!"
    }
  }

  /// The name without wrappers.
  package var name: String {
    switch self {
    case .named(let name): name
    case .list(let type), .nonNull(let type): type.name
    }
  }

  package var isNonNull: Bool { if case .nonNull = self { true } else { false } }

  /// The type without the outer non-null wrapper.
  package var nullable: GraphQLType { if case .nonNull(let type) = self { type } else { self } }

  /// Whether its value, if not null, is a list.
  package var isList: Bool { if case .list = nullable { true } else { false } }
}
