import LullCore

/// What stands behind the `#` of a reference.
package enum SchemaFragment {
  /// Its escapes undone; a plus stands for itself. What is wrongly escaped is as written.
  package static func decoded(_ text: some StringProtocol) -> String {
    let bytes = try? PercentEncoding.decode(Array(text.utf8)[...])
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? String(text)
  }
}
