import LullCore

/// Decodes the part of a reference after the `#`.
package enum SchemaFragment {
  /// Decodes percent-encoding. A plus sign remains a plus sign. A fragment with invalid encoding is
  /// returned unchanged.
  package static func decoded(_ text: some StringProtocol) -> String {
    let bytes = try? PercentEncoding.decode(Array(text.utf8)[...])
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? String(text)
  }
}
