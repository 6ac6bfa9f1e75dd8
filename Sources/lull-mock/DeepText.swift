import LullClients
import LullCore

/// Converts pairs such as `items[0][price]=p1` to JSON. Each value is a string, whatever its
/// original type.
struct DeepText {
  private indirect enum Node {
    case text(String)
    case members([(name: String, node: Node)])

    /// The value as JSON: a list if all names are numbers or empty, otherwise an object.
    var value: JSONValue {
      switch self {
      case .text(let text): return .string(text)
      case .members(let members):
        let isList = members.allSatisfy { $0.name.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        if isList {
          // Sort the elements by their numbers, whatever their order of arrival. Elements without a
          // number keep that order.
          let ordered = members.enumerated().sorted { one, other in
            let (left, right) = (Int(one.element.name) ?? 0, Int(other.element.name) ?? 0)
            return left == right ? one.offset < other.offset : left < right
          }
          return .array(ordered.map(\.element.node.value))
        }
        return .object(members.map { .init($0.name, $0.node.value) })
      }
    }

    mutating func put(_ text: String, at path: ArraySlice<String>) {
      guard let name = path.first else {
        self = .text(text)
        return
      }
      var members: [(name: String, node: Node)] = []
      if case .members(let known) = self { members = known }
      // Each pair with an empty name is a separate element.
      if !name.isEmpty, let place = members.firstIndex(where: { $0.name == name }) {
        members[place].node.put(text, at: path.dropFirst())
      } else {
        var node = Node.members([])
        node.put(text, at: path.dropFirst())
        members.append((name, node))
      }
      self = .members(members)
    }
  }

  private static let deepest = 100

  /// - Parameter fields: Pairs of a name and a value. The name is the part behind the parameter's
  ///   own name, such as `[0][price]`.
  /// - Returns: The JSON. `nil` if a name does not have this form.
  static func json(_ fields: [(name: String, value: String)]) -> [UInt8]? {
    var root = Node.members([])
    for (name, value) in fields {
      var path: [String] = []
      var rest = name[...]
      while rest.first == "[", let end = rest.firstIndex(of: "]") {
        path.append(String(rest[rest.index(after: rest.startIndex)..<end]))
        rest = rest[rest.index(after: end)...]
      }
      guard rest.isEmpty, path.count <= deepest else { return nil }
      root.put(value, at: path[...])
    }
    return try? root.value.encode()
  }
}
