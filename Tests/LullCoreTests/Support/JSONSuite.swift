@testable import LullCore

/// What suites about JSON texts share.
protocol JSONSuite {}

extension JSONSuite {
  func parse(_ text: String) throws(JSONError) -> JSONElement {
    try JSONDocument(parsing: Array(text.utf8)).root
  }

  func failure(_ bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
      _ = try JSONDocument(parsing: bytes)
      return nil
    } catch {
      return error
    }
  }

  func encoded(_ element: JSONElement, pretty: Bool = false) -> String {
    var bytes: [UInt8] = []
    element.encode(into: &bytes, pretty: pretty)
    return String(decoding: bytes, as: UTF8.self)
  }
}
