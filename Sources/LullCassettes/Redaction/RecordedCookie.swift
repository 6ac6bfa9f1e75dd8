import LullCore

/// A value of `Set-Cookie`: a name, what it holds, and what is said about it.
struct RecordedCookie {
  let value: Substring
  private let name: Substring
  private let rest: Substring

  init(_ text: String) {
    let pair = text.prefix { $0 != ";" }
    let start = pair.firstIndex(of: "=")
    name = start.map { pair[...$0] } ?? ""
    value = start.map { pair[pair.index(after: $0)...] } ?? pair
    rest = text[pair.endIndex...]
  }

  /// Without its value, but for a stand-in.
  var masked: String {
    if value.isEmpty || CredentialMask.isMasked(value) { return String(name + value + rest) }
    return String(name) + CredentialMask.mark + rest
  }
}
