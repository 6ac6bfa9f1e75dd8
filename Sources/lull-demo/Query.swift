import Foundation

/// The query of a request, decoded as forms are (`+` is a space), with its order and repetitions.
///
/// FlyingFox's own list leaves `+` as it is. A wrong escape stays as it was sent, so that `/echo`
/// shows what arrived.
struct Query: Sendable {
  let items: [(name: String, value: String)]

  init(_ text: String) {
    items = text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decode(parts[0]), parts.count > 1 ? Self.decode(parts[1]) : "")
    }
  }

  /// The first value of that name.
  subscript(name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// A whole number within bounds; the default when it is not given.
  func int(_ name: String, default standard: Int, in range: ClosedRange<Int>) throws -> Int {
    guard let text = self[name] else { return standard }
    guard let value = Int(text), range.contains(value) else {
      throw Problem.badRequest(
        "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// An object with the names in the order of their first use; repeated ones become arrays.
  var json: JSON {
    var names: [String] = []
    for item in items where !names.contains(item.name) { names.append(item.name) }
    return .object(
      names.map { name in
        let values = items.filter { $0.name == name }.map { JSON.string($0.value) }
        return (name, values.count == 1 ? values[0] : .array(values))
      })
  }

  private static func decode(_ text: Substring) -> String {
    let spaced = text.replacing("+", with: " ")
    return spaced.removingPercentEncoding ?? String(spaced)
  }
}
