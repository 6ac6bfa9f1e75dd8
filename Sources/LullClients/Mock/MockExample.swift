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
    guard case .json(let bytes) = value, let document = try? JSONDocument(parsing: bytes) else {
      return Array(value.text.utf8)
    }
    return CanonicalJSON(isExact: true).bytes(of: JSONText(document.root, spelledBy: bytes))
  }
}
