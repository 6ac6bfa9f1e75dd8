import LullCore

/// Decodes the fragment of a reference, which is the text after the `#`.
package enum SchemaFragment {
  /// Decodes the percent-encoding of a fragment. A plus sign is unchanged. A fragment with invalid
  /// encoding is returned unchanged.
  package static func decoded(_ text: some StringProtocol) -> String {
    let bytes = try? PercentEncoding.decode(Array(text.utf8)[...])
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? String(text)
  }
}
