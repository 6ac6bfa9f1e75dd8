import LullCore
import LullHost

/// One answer of several: that to requests with certain parameters.
package struct MockExample {
  package var answer: MockAnswer
  /// None: whatever the parameters are.
  package var conditions: [(name: String, value: CallValue)] = []

  /// Whether it answers a request with these parameters.
  package func fits(_ values: [String: CallValue]) -> Bool {
    conditions.allSatisfy { name, value in
      guard let given = values[name] else { return false }
      return MockExample.comparable(given) == MockExample.comparable(value)
    }
  }

  private static func comparable(_ value: CallValue) -> [UInt8] {
    // As JSON, 1 and true are not what "1" and "true" are; a query has no such difference.
    var bytes: [UInt8] = []
    switch value {
    case .json(let text): bytes = text
    case .list(let elements): CallValue.list(elements.map { .string($0.text) }).write(to: &bytes)
    case .object(let members):
      CallValue.object(members.map { .init($0.name, .string($0.value.text)) }).write(to: &bytes)
    default: return Array(value.text.utf8)
    }
    guard let document = try? JSONDocument(parsing: bytes) else { return bytes }
    return CanonicalJSON(isExact: true).bytes(of: JSONText(document.root, spelledBy: bytes))
  }
}
